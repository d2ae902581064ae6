// SPDX-License-Identifier: Apache-2.0

/// The messages in what a DNS server sends over TCP (RFC 1035 section 4.2.2).
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

    /// Takes the next whole message; nil if more of it must come.
    mutating func next() -> [UInt8]? {
        guard bytes.count - start >= 2 else { return nil }
        let end = start + 2 + (Int(bytes[start]) << 8 | Int(bytes[start + 1]))
        guard bytes.count >= end else { return nil }
        defer { start = end }
        return Array(bytes[start + 2..<end])
    }
}
