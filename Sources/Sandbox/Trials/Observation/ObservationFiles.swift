// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Sandboxing

/// The open files of an observed run: the capture and the events. They are read through the descriptors that made them,
/// even if other files have their names by then. Files without names are deleted with the last process that has them
/// open.
struct ObservationFiles {
    /// The writer of the capture.
    let writer: RunCapture
    /// The capture, for reading.
    let capture: CInt
    /// The events, for appending and reading.
    let events: CInt

    /// Makes the files without names, so that the command cannot open and change what it is judged by. The capture is
    /// on the file system of the report, if there is one.
    init(in report: ReportDirectory? = nil) throws {
        events = try Self.temporary()
        capture = try report?.makeCapture() ?? Self.temporary()
        writer = RunCapture(path: "/dev/fd/\(capture)", isNamed: false)
    }

    /// Makes the files: the capture at the path that the user named, with the rights of the command's user.
    init(_ capture: RunCapture, for account: Account?) throws {
        events = try Self.temporary()
        let file = try OutputFile.capture.open(capture.path, for: account)
        var writer = capture
        writer.path = "/dev/fd/\(file)"
        self.writer = writer
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw EvidenceError.noFile(capture.path)
        }
        // The caller's descriptor, as for --capture /dev/stdout, may be for writing only.
        self.capture = try checked(open("/proc/self/fd/\(file)", O_RDONLY | O_CLOEXEC), "read \(capture.path)")
    }

    /// O_TMPFILE of open(2), a macro that Swift does not import.
    private static let unnamedFile = 0o20_000_000 | O_DIRECTORY

    /// Makes a file without a name in TMPDIR or /tmp.
    static func temporary() throws(SystemError) -> CInt {
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // Without a name from the start, if the file system supports it: this process may be killed at any moment.
        let unnamed = open(directory, Self.unnamedFile | O_RDWR | O_APPEND | O_CLOEXEC, 0o600)
        if unnamed >= 0 { return unnamed }
        var template = Array("\(directory)/linkcond-XXXXXX".utf8CString)
        let descriptor = try checked(mkstemp(&template), "make a file in \(directory)")
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        return descriptor
    }
}
