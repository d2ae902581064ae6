// SPDX-License-Identifier: Apache-2.0

/// Splits the byte stream of a DNS server over TCP into messages (RFC 1035 section 4.2.2).
struct DNSMessageBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    mutating func append(_ received: some Sequence<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += received
    }

    /// Removes and returns the next complete message; nil if more bytes have to arrive.
    mutating func next() -> [UInt8]? {
        guard bytes.count - start >= 2 else { return nil }
        let end = start + 2 + (Int(bytes[start]) << 8 | Int(bytes[start + 1]))
        guard bytes.count >= end else { return nil }
        defer { start = end }
        return Array(bytes[start + 2..<end])
    }
}
