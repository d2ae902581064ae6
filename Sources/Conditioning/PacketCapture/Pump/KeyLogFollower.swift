// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads the lines that programs add to a TLS key log (SSLKEYLOGFILE, RFC 9850), as they come.
struct KeyLogFollower {
    private let descriptor: CInt
    private var offset: off_t

    /// The time after a packet in which its key lines may come: a server's hello is encrypted in part, and its client logs the
    /// keys when it has read that. Readers of a capture look for them when they read the hello, and do not look again.
    static let keyTimeout = Duration.milliseconds(500)

    /// The bytes to take at once.
    private static let chunk = 1 << 16

    /// Follows an open file from its present end on: older keys are none of this capture's.
    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        var facts = stat()
        offset = fstat(descriptor, &facts) == 0 ? facts.st_size : 0
    }

    /// The whole lines since the last time; nil for none.
    mutating func newLines() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        let count = pread(descriptor, &bytes, bytes.count, offset)
        guard count > 0 else { return nil }
        // A line without an end may still be written; one that fills all of this is none.
        guard let end = bytes[..<count].lastIndex(of: 10) else {
            if count == bytes.count { offset += off_t(count) }
            return nil
        }
        offset += off_t(end + 1)
        return Array(bytes[...end])
    }
}
