// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The open files of an observed run: the capture, and the events. Without names of their own they end with the
/// processes that have them open.
struct ObservationFiles {
    /// The path to give to whatever writes the capture.
    let capturePath: String
    /// The capture, for reading; nil if the caller named a file.
    let capture: CInt?
    /// Whether no user has asked for the capture's file.
    let isUnnamed: Bool
    /// The events, for appending and reading.
    let events: CInt

    /// Makes the files.
    ///
    /// - Parameter path: the file that is to hold the capture; nil for one without a name.
    init(capture path: String?) throws(SystemError) {
        events = try Self.temporary()
        if let path {
            (capturePath, capture, isUnnamed) = (path, nil, false)
        } else {
            let file = try Self.temporary()
            (capturePath, capture, isUnnamed) = ("/dev/fd/\(file)", file, true)
        }
    }

    /// Makes the files, the capture at `path`, which is emptied if it exists. Only its owner may read it.
    init(captureFile path: String) throws(SystemError) {
        events = try Self.temporary()
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC
        let file = try checked(open(path, flags, 0o600), "write \(path)")
        fchmod(file, 0o600)
        (capturePath, capture, isUnnamed) = ("/dev/fd/\(file)", file, false)
    }

    /// Reads the events.
    func readEvents() -> [UInt8] {
        var bytes: [UInt8] = []
        Self.read(events) { bytes += $0 }
        return bytes
    }

    /// Reads the capture in pieces.
    func readCapture(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        if let capture { return try Self.read(capture, body) }
        let descriptor = try checked(open(capturePath, O_RDONLY | O_CLOEXEC), "open \(capturePath)")
        defer { close(descriptor) }
        try Self.read(descriptor, body)
    }

    /// Reads a file from its begin, whatever its offset is: other processes share that.
    static func read(_ descriptor: CInt, _ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
        var offset = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            try body(buffer[..<count])
            offset += count
        }
    }

    /// O_TMPFILE of open(2), a macro that Swift does not import.
    private static let unnamedFile = 0o20_000_000 | O_DIRECTORY

    /// A file that no directory lists.
    static func temporary() throws(SystemError) -> CInt {
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // Without a name from the begin, if the file system can: this process may be killed at any moment.
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
