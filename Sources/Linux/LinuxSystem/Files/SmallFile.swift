// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Files of a few hundred bytes, read and written as a whole.
package enum SmallFile {
    /// The size in bytes above which `read` fails unless it is given another limit.
    package static let longest = 1 << 20

    /// Reads the file at `path`, which must not be a symbolic link unless `followsLinks`.
    package static func read(
        _ path: String,
        followsLinks: Bool = false,
        limit: Int = longest
    ) throws(SystemError) -> [UInt8] {
        let flags = O_RDONLY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = try checked(open(path, flags), "open \(path)")
        defer { close(descriptor) }
        return try read(descriptor, named: path, limit: limit)
    }

    /// Reads an open file from its offset to its end; errors name it as `path`.
    package static func read(
        _ descriptor: CInt,
        named path: String,
        limit: Int = longest
    ) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(operation: "read \(path)", code: errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw SystemError(operation: "read \(path)", code: EFBIG) }
        }
    }

    /// Writes a new file and waits until it is on the disk. After a failure there is no file.
    package static func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        unlink(path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = try checked(open(path, flags, 0o600), "create \(path)")
        defer { close(descriptor) }
        if let code = Descriptors.write(bytes[...], to: descriptor) ?? (fsync(descriptor) == 0 ? nil : errno) {
            unlink(path)
            throw SystemError(operation: "write \(path)", code: code)
        }
    }

    /// Renames a file, replacing the file of that name.
    package static func move(_ path: String, to target: String) throws(SystemError) {
        try checked(rename(path, target), "rename \(path) to \(target)")
    }

    /// Deletes a file if it exists.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError(operation: "delete \(path)", code: errno) }
    }
}

/// A small text file of the system: an entry of /proc or /sys, or a configuration file. Most have one line.
package struct ProcFile: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// The first line; nil if the file does not exist, cannot be read or is empty.
    package var firstLine: String? { lines.first }

    /// The lines that are not empty; none if the file does not exist or cannot be read.
    package var lines: [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// The content; empty if the file does not exist or cannot be read.
    package var text: String {
        (try? SmallFile.read(path, followsLinks: true)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Writes `text` with one write(2), as the kernel requires of its settings.
    package func write(_ text: String) throws(SystemError) {
        let descriptor = try checked(open(path, O_WRONLY | O_CLOEXEC), "open \(path)")
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SystemError(operation: "write \"\(text)\" to \(path)", code: errno)
        }
    }
}

extension ProcFile {
    /// Makes the kernel's OOM killer spare this process and its children: proc(5), oom_score_adj. Without
    /// CAP_SYS_RESOURCE, does nothing.
    package static func avoidMemoryKill() { try? ProcFile("/proc/self/oom_score_adj").write("-1000") }
}
