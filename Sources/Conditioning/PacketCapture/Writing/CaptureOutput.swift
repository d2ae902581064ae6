// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
import Glibc
internal import LinuxSystem

/// The destination of a capture's blocks: a file that other users cannot read, or a pipe.
package final class CaptureOutput {
    /// The reason why no more can be written. The blocks written before can be read.
    package enum Failure: Error, Hashable, CustomStringConvertible, Sendable {
        /// The reader of the pipe has closed it.
        case readerGone
        /// The pipe still had no room 1 s after the writer was told to stop; the rest is lost.
        case readerStalled
        /// The file could not be written, with this errno: ENOSPC for a full disk.
        case refused(Int32)
        /// The file has reached its bound, for this reason.
        case full(String)

        package var description: String {
            switch self {
            case .readerGone: cause
            case .readerStalled: "the capture ends early: \(cause)"
            case .refused, .full: "the capture ends early, and can be read up to there: \(cause)"
            }
        }

        /// The cause, for a failure that is known to be about a capture.
        package var cause: String {
            switch self {
            case .readerGone: "the reader of the capture has closed it"
            case .readerStalled: "its reader does not go on"
            case .refused(let code): String(cString: strerror(code))
            case .full(let reason): reason
            }
        }
    }

    private let descriptor: Int32
    private let closes: Bool
    private var bound: CaptureBound?
    /// The offset of the next block in a regular file; nil for a pipe.
    private var end: off_t?
    /// Whether the file system keeps `reservedBytes` for the last blocks, at the offset `reserve`, which no capture
    /// reaches.
    private var hasReserve = false
    /// Whether the file has part of a block after `end`.
    private var endsInBlock = false
    /// The digest of the blocks up to `end`; nil for none.
    private var digest: CaptureDigest?
    private static let (reserve, reservedBytes): (off_t, off_t) = (1 << 40, 1 << 14)

    /// Creates the file at `path`, readable by its owner alone, or empties it.
    ///
    /// In a directory where other users may create files, follows no symbolic links. In a directory that all users
    /// share, such as /tmp, also uses no other user's file: its owner could choose what is overwritten, or read the
    /// packets.
    init(path: String) throws(SystemError) {
        let (isForeign, isShared) = Self.access(directoryOf: path)
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isForeign ? O_NOFOLLOW : 0)
        descriptor = try checked(open(path, flags, 0o600), "open \(path)")
        // From here on, deinit closes the descriptor.
        closes = true
        var facts = stat()
        fstat(descriptor, &facts)
        guard !isShared || facts.st_uid == geteuid() else {
            throw SystemError(
                operation: "use \(path), a file of user \(facts.st_uid) in a shared directory",
                code: EPERM
            )
        }
        guard facts.st_mode & S_IFMT == S_IFREG else { return }
        guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else {
            throw SystemError(operation: "empty \(path)", code: errno)
        }
        end = 0
    }

    /// Whether other users (`isForeign`) or all users (`isShared`) may create files beside `path`.
    private static func access(directoryOf path: String) -> (isForeign: Bool, isShared: Bool) {
        var facts = stat()
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard stat(directory, &facts) == 0 else { return (false, false) }
        let isForeign = facts.st_uid != geteuid() && facts.st_uid != 0 || facts.st_mode & (S_IWGRP | S_IWOTH) != 0
        return (isForeign, facts.st_mode & S_ISVTX != 0 && facts.st_mode & S_IWOTH != 0)
    }

    /// Writes to an open descriptor, which remains the caller's; appends to a regular file.
    ///
    /// - Parameters:
    ///   - bound: the largest size of a regular file; nil for the file system's limit.
    ///   - key: the key of the digest; nil for no digest.
    init(descriptor: Int32, bound: CaptureBound? = nil, key: UInt64? = nil) {
        (self.descriptor, self.bound) = (descriptor, bound)
        digest = key.map { CaptureDigest(key: $0) }
        closes = false
        var facts = stat()
        if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG { end = facts.st_size }
        keepRoom()
    }

    deinit { if closes { close(descriptor) } }

    /// The digest of the regular file, as a reader finds it.
    var written: CaptureDigest.Value? { end == nil ? nil : digest?.value }

    /// Reserves room for the blocks at the end: a file without them looks like one whose writer was killed. Not every
    /// file system can.
    private func keepRoom() {
        guard end != nil else { return }
        // Makes writes above a size limit (ulimit -f) fail with an error: a confined process cannot query the limit.
        signal(SIGXFSZ, SIG_IGN)
        hasReserve = lc_keep_room(descriptor, Int64(Self.reserve), Int64(Self.reservedBytes)) == 0
    }

    /// Removes the file's bound, for a few blocks at its end, and releases the room reserved for them. Cuts off an
    /// incomplete last block.
    func liftBound() {
        bound = nil
        guard let end else { return }
        var facts = stat()
        // Keeps data that another program has appended.
        let size = !endsInBlock && fstat(descriptor, &facts) == 0 ? facts.st_size : end
        ftruncate(descriptor, size)
    }

    /// Writes the encoded blocks; after a failure, drops them.
    func write(_ encoder: inout PcapngEncoder, stop: Int32? = nil) throws(Failure) {
        try encoder.drain { (blocks) throws(Failure) in try write(blocks, stop: stop) }
    }

    /// Writes whole blocks. After a failure, a regular file ends with the last whole block that fitted, at the latest
    /// when ``liftBound()`` has been called.
    ///
    /// - Parameter stop: a descriptor that is readable when the writer must end; a pipe that stays full 1 s longer is
    ///   an error.
    func write(_ blocks: UnsafeRawBufferPointer, stop: Int32? = nil) throws(Failure) {
        guard let end, let bound, bound.room(size: Int(end)) < blocks.count else {
            return try writeAll(blocks, stop: stop)
        }
        // A busy machine may collect many blocks for one write.
        let length = Self.wholeBlocks(of: blocks, within: bound.room(size: Int(end)))
        try writeAll(UnsafeRawBufferPointer(rebasing: blocks[..<length]), stop: stop)
        throw .full(bound.reason)
    }

    private func writeAll(_ blocks: UnsafeRawBufferPointer, stop: Int32?) throws(Failure) {
        var written = 0
        while written < blocks.count {
            var size = blocks.count - written
            if end == nil, let stop {
                guard waitForRoom(stop) else { throw .readerStalled }
                // A pipe that poll(2) reports as writable has room for PIPE_BUF bytes.
                size = min(size, Int(PIPE_BUF))
            }
            let count = Glibc.write(descriptor, blocks.baseAddress.map { $0 + written }, size)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                if code == EPIPE { throw .readerGone }
                if let start = end {
                    let length = Self.wholeBlocks(of: blocks, within: written)
                    digest?.add(UnsafeRawBufferPointer(rebasing: blocks[..<length]))
                    let whole = start + off_t(length)
                    // `liftBound` truncates the file if room is reserved: another process might use it before the end
                    // is written.
                    if hasReserve { endsInBlock = true } else { ftruncate(descriptor, whole) }
                    end = whole
                }
                throw .refused(code)
            }
            written += count
        }
        if let start = end { end = start + off_t(blocks.count) }
        digest?.add(blocks)
    }

    /// Waits until the pipe has room, at most 1 s after `stop` is readable; false if it has none.
    private func waitForRoom(_ stop: Int32) -> Bool {
        var requests = [(descriptor, POLLOUT), (stop, POLLIN)].map { pollfd(fd: $0, events: Int16($1), revents: 0) }
        while poll(&requests, 2, -1) < 0, errno == EINTR {}
        return requests[0].revents != 0 || poll(&requests, 1, 1000) > 0
    }

    /// The total length of the blocks that lie wholly within the first `count` bytes.
    private static func wholeBlocks(of blocks: UnsafeRawBufferPointer, within count: Int) -> Int {
        var whole = 0
        while whole + 8 <= count {
            // The length of a block follows its type.
            let length = Int(blocks.loadUnaligned(fromByteOffset: whole + 4, as: UInt32.self))
            guard length > 0, whole + length <= count else { break }
            whole += length
        }
        return whole
    }
}
