// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The exclusive right to change one interface: flock(2) on a file of the journal. The kernel releases the lock when
/// the process ends.
final class InterfaceLock {
    private let descriptor: CInt
    private let path: String

    /// The reason why the lock was not acquired.
    enum Failure: Error, Hashable {
        /// Another process has the lock; the text is what that process wrote into the file.
        case busy(String)
        /// The file cannot be opened.
        case file(SystemError)
    }

    private init(_ descriptor: CInt, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Acquires the lock at `path`, waiting up to `lockTimeout`, and writes `holder` into the file for other processes
    /// to read.
    static func acquire(
        _ path: String,
        holder: String,
        lockTimeout: Duration,
        pace: Pace = .real
    ) throws(Failure) -> InterfaceLock {
        let deadline = pace.now() + lockTimeout
        while true {
            let descriptor = try openFile(path)
            let lock = InterfaceLock(descriptor, path)
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                // The previous holder may have deleted the file.
                guard FileIdentity(path) == FileIdentity(descriptor: descriptor) else { continue }
                lock.write(holder)
                return lock
            }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .file(SystemError(operation: "lock \(path)", code: errno))
            }
            guard pace.now() < deadline else { throw .busy(lock.holder) }
            pace.sleep(.milliseconds(5))
        }
    }

    /// Opens or creates the lock's file. On a read-only file system, an existing file can still be locked.
    private static func openFile(_ path: String) throws(Failure) -> CInt {
        let flags = O_CLOEXEC | O_NOFOLLOW
        var descriptor = open(path, O_RDWR | O_CREAT | flags, 0o600)
        if descriptor < 0, errno == EROFS { descriptor = open(path, O_RDONLY | flags) }
        guard descriptor >= 0 else { throw .file(SystemError(operation: "open \(path)", code: errno)) }
        return descriptor
    }

    /// Writes the holder's name into the file. The lock does not depend on the name, so a full disk does not matter.
    private func write(_ holder: String) {
        ftruncate(descriptor, 0)
        let bytes = Array(holder.utf8)
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private var holder: String {
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Deletes the file. The holder calls it when the interface has no entry.
    func forget() {
        unlink(path)
    }
}
