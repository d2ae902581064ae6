// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What distinguishes a file from all others: stat(2).
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64

    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }

    init?(descriptor: CInt) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    private init(_ facts: stat) {
        device = UInt64(facts.st_dev)
        inode = UInt64(facts.st_ino)
    }
}

/// A file operation that the kernel refused.
struct FileError: Error, Hashable, CustomStringConvertible {
    /// What was done to what: "write /run/linkcond/4026531840-2.entry".
    let operation: String
    /// The error number.
    let code: CInt

    var description: String { "cannot \(operation): \(String(cString: strerror(code)))" }
}

/// Files of a few hundred bytes, read and written whole.
enum SmallFile {
    /// No file of ours is longer.
    static let longest = 1 << 20

    /// The bytes of the file at `path`.
    static func read(_ path: String) throws(FileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw FileError(operation: "open \(path)", code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(operation: "read \(path)", code: errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= longest else { throw FileError(operation: "read \(path)", code: EFBIG) }
        }
    }

    /// Writes a new file and waits until the disk has it; where that fails, there is none.
    static func create(_ path: String, _ bytes: [UInt8]) throws(FileError) {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: "create \(path)", code: errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                unlink(path)
                throw FileError(operation: "write \(path)", code: code)
            }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else {
            let code = errno
            unlink(path)
            throw FileError(operation: "write \(path)", code: code)
        }
    }

    /// Gives a file another name, in the place of whatever has it.
    static func move(_ path: String, to target: String) throws(FileError) {
        guard rename(path, target) == 0 else { throw FileError(operation: "rename \(path) to \(target)", code: errno) }
    }

    /// Deletes a file, if there is one.
    static func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileError(operation: "delete \(path)", code: errno) }
    }
}
