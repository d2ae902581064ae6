// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads the lines that programs add to a TLS key log (SSLKEYLOGFILE, RFC 9850), as they come.
struct KeyLogFollower {
    private let descriptor: CInt
    private var offset: off_t

    /// How long after a packet its key lines may come: a server's hello is partly encrypted, and the client logs the
    /// keys after it has read the hello. Readers of a capture look for the keys when they read the hello, and never
    /// later.
    static let keyTimeout = Duration.milliseconds(500)

    /// The largest number of bytes to read at once.
    private static let chunk = 1 << 16

    /// Follows an open file from its present end on: older keys do not belong to this capture.
    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        var facts = stat()
        offset = fstat(descriptor, &facts) == 0 ? facts.st_size : 0
    }

    /// Returns the complete lines since the last call; nil if there are none.
    mutating func newLines() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        let count = pread(descriptor, &bytes, bytes.count, offset)
        guard count > 0 else { return nil }
        // A line without a line feed may be incomplete. If it fills the whole buffer, it is no key line, and is
        // skipped.
        guard let end = bytes[..<count].lastIndex(of: 10) else {
            if count == bytes.count { offset += off_t(count) }
            return nil
        }
        offset += off_t(end + 1)
        return Array(bytes[...end])
    }
}
