// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Reports
internal import Sandboxing

/// The standard output and the standard error of a command, which are those of this process when the command starts.
///
/// The command keeps them as they are: nothing of linkcond stands between it and a terminal or a pipe. What it appends to a
/// regular file is read back afterwards.
struct CommandStreams {
    fileprivate struct Stream {
        let name: CommandOutput.Stream
        let destination: CommandOutput.Destination
        /// A file's path, a descriptor for reading it, and where the command begins to write. This process gives its own
        /// standard output away while the command runs.
        var path: String?
        var file: CInt?
        var start = 0
    }

    private let streams: [Stream]

    /// Notes where the command will write, before it starts. The report is the user's, and has nothing of a file that the user
    /// may not read.
    init(for account: Account?) {
        let rights = account.fileRights
        var streams = [Stream(.output, STDOUT_FILENO, rights), Stream(.error, STDERR_FILENO, rights)]
        // Two streams to one file may begin at different places: the output is what follows the first.
        if streams[0].path == streams[1].path {
            let start = min(streams[0].start, streams[1].start)
            (streams[0].start, streams[1].start) = (start, start)
        }
        self.streams = streams
    }

    /// Tells what became of them, for a report in `directory`. To be called once.
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

    /// The path from the directory, if it leads to what is in it; else as it is.
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
        // A shell's > opens a file for writing only. Nothing can take the place of what the descriptor leads to.
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
    /// Reads the end of a file. What is before `start` does not count, unless the file was emptied meanwhile.
    init(of descriptor: CInt, from start: Int, limit: Int = 100) {
        var facts = stat()
        let size = fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
        let begin = start <= size ? start : 0
        var buffer = [UInt8](repeating: 0, count: min(size - begin, Self.size))
        let length = max(pread(descriptor, &buffer, buffer.count, off_t(size - buffer.count)), 0)
        self.init(buffer[..<length], of: size - begin, limit: limit)
    }
}
