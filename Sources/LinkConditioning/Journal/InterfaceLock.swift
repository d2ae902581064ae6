// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The right to change one interface: flock(2) on a file of the journal. It ends with its holder, however that ends.
final class InterfaceLock {
    private let descriptor: CInt
    private let path: String

    /// Why there is no lock to be had.
    enum Failure: Error, Hashable {
        /// Somebody has it; the words that the holder left in the file.
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

    /// Takes the lock at `path`, waiting for it as long as `patience` lets, and leaves `words` in the file for whoever
    /// waits in turn.
    static func take(
        _ path: String,
        words: String,
        patience: Duration,
        pace: Pace = .real
    ) throws(Failure) -> InterfaceLock {
        let deadline = pace.now() + patience
        while true {
            let descriptor = try openFile(path)
            let lock = InterfaceLock(descriptor, path)
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                // Whoever had it may have deleted the file with it.
                guard FileIdentity(path) == FileIdentity(descriptor: descriptor) else { continue }
                lock.sign(words)
                return lock
            }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .file(SystemError(operation: "lock \(path)", code: errno))
            }
            guard pace.now() < deadline else { throw .busy(lock.words) }
            pace.sleep(.milliseconds(5))
        }
    }

    /// On a read-only file system a file that is there can be locked all the same.
    private static func openFile(_ path: String) throws(Failure) -> CInt {
        let flags = O_CLOEXEC | O_NOFOLLOW
        var descriptor = open(path, O_RDWR | O_CREAT | flags, 0o600)
        if descriptor < 0, errno == EROFS { descriptor = open(path, O_RDONLY | flags) }
        guard descriptor >= 0 else { throw .file(SystemError(operation: "open \(path)", code: errno)) }
        return descriptor
    }

    /// Says who holds it. Not needed for the lock itself, so a full disk does not matter.
    private func sign(_ words: String) {
        ftruncate(descriptor, 0)
        let bytes = Array(words.utf8)
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private var words: String {
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Deletes the file. To be called where nothing is left to be locked, by the holder.
    func forget() {
        unlink(path)
    }
}
