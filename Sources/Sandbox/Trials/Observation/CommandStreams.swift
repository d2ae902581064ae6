// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Reports
internal import Sandboxing

/// The standard output and standard error of a command, which are those of this process when the command starts.
///
/// The command inherits both unchanged: linkcond is not between the command and a terminal or pipe. What the command
/// appends to a regular file is read back afterwards.
struct CommandStreams {
    fileprivate struct Stream {
        let name: CommandOutput.Stream
        let destination: CommandOutput.Destination
        /// For a regular file: its path, a descriptor for reading it, and the offset at which the command begins to
        /// write. A descriptor is needed, since this process closes its standard output while the command runs.
        var path: String?
        var file: CInt?
        var start = 0
    }

    private let streams: [Stream]

    /// Stores where the command will write, before it starts. The report belongs to the command's user, so it has
    /// nothing from files that this user may not read.
    init(for account: Account?) {
        let rights = account.fileRights
        var streams = [Stream(.output, STDOUT_FILENO, rights), Stream(.error, STDERR_FILENO, rights)]
        // Two streams to one file may start at different offsets: the output starts at the lower one.
        if streams[0].path == streams[1].path {
            let start = min(streams[0].start, streams[1].start)
            (streams[0].start, streams[1].start) = (start, start)
        }
        self.streams = streams
    }

    /// Reads the output that was written to files, for a report in `directory`. Closes the files: call it once.
    func read(besides directory: String) -> CommandOutput {
        CommandOutput(
            streams.map { stream in
                let path = stream.path.map { Self.relative($0, to: directory) }
                guard let file = stream.file else {
                    return CommandOutput.Part(stream.name, stream.destination, path: path)
                }
                defer { close(file) }
                let tail = FileTail(of: file, from: stream.start)
                return CommandOutput.Part(stream.name, stream.destination, path: path, tail: tail)
            }
        )
    }

    /// The path relative to the directory, if the file is inside; otherwise the path unchanged.
    private static func relative(_ path: String, to directory: String) -> String {
        guard let real = realpath(directory, nil) else { return path }
        defer { free(real) }
        let prefix = String(cString: real) + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}

extension CommandStreams.Stream {
    fileprivate init(_ name: CommandOutput.Stream, _ descriptor: CInt, _ rights: FileRights) {
        var facts = stat()
        let isOpen = fstat(descriptor, &facts) == 0
        (self.name, destination) = (name, isOpen ? Self.destination(descriptor, facts) : .nowhere)
        guard destination == .file else { return }
        let link = "/proc/self/fd/\(descriptor)"
        path = Self.target(of: link)
        // A shell's > opens a file for writing only, so it is opened again. By the link, it is the same file even if it
        // was renamed.
        file = try? rights.with { () throws(SystemError) in
            try checked(open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY), "read \(link)")
        }
        let isAppending = fcntl(descriptor, F_GETFL) & O_APPEND != 0
        start = max(isAppending ? Int(facts.st_size) : Int(lseek(descriptor, 0, SEEK_CUR)), 0)
    }

    private static func destination(_ descriptor: CInt, _ facts: stat) -> CommandOutput.Destination {
        switch facts.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFIFO: return .pipe
        case S_IFSOCK: return .socket
        default:
            var null = stat()
            let isNull = stat("/dev/null", &null) == 0 && null.st_rdev == facts.st_rdev
            return isatty(descriptor) == 1 ? .terminal : isNull ? .nowhere : .device
        }
    }

    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(link, &bytes, bytes.count)
        return length > 0 ? String(decoding: bytes[..<length], as: UTF8.self) : nil
    }
}

extension FileTail {
    /// Reads the last lines of a file. Ignores the bytes before `start`, unless the file was truncated meanwhile.
    init(of descriptor: CInt, from start: Int, limit: Int = 100) {
        var facts = stat()
        let size = fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
        let begin = start <= size ? start : 0
        var buffer = [UInt8](repeating: 0, count: min(size - begin, Self.size))
        let length = max(pread(descriptor, &buffer, buffer.count, off_t(size - buffer.count)), 0)
        self.init(buffer[..<length], of: size - begin, limit: limit)
    }
}
