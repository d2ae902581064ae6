// SPDX-License-Identifier: Apache-2.0

/// The times at which packets were sent or arrived, in that order, with a compact encoding.
struct FlowLog: Equatable {
    struct Entry: Equatable {
        var packet: Int
        /// The time of day, in nanoseconds.
        var time: Int64
    }

    private(set) var entries: [Entry] = []
    /// The maximum number of entries; `add` ignores further ones.
    let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(_ packet: Int, _ time: Int64) {
        if entries.count < limit { entries.append(Entry(packet: packet, time: time)) }
    }

    /// Encodes as many entries from index `first` on as fit into `length` bytes, each as its difference from the
    /// previous one.
    func encoded(from first: Int, length: Int) -> (count: Int, bytes: [UInt8]) {
        var bytes: [UInt8] = []
        var before = Entry(packet: -1, time: 0)
        var count = 0
        for entry in entries.dropFirst(max(first, 0)) {
            let added =
                Self.bytes(Int64(entry.packet) - Int64(before.packet) - 1) + Self.bytes(entry.time &- before.time)
            guard bytes.count + added.count <= length else { break }
            bytes += added
            before = entry
            count += 1
        }
        return (count, bytes)
    }

    /// Decodes `count` entries; nil if `bytes` ends before that.
    static func decoded(_ bytes: [UInt8], count: Int) -> [Entry]? {
        var rest = bytes[...]
        var before = Entry(packet: -1, time: 0)
        // An entry has at least two bytes.
        guard count >= 0, count <= bytes.count / 2 else { return nil }
        var entries: [Entry] = []
        for _ in 0..<count {
            guard let step = number(&rest), let time = number(&rest),
                let packet = Int(exactly: step).map({ before.packet &+ 1 &+ $0 })
            else { return nil }
            before = Entry(packet: packet, time: before.time &+ time)
            entries.append(before)
        }
        return entries
    }

    /// Encodes an integer as a variable-length quantity: seven bits a byte, the sign in the lowest bit (zigzag).
    private static func bytes(_ value: Int64) -> [UInt8] {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        var bytes: [UInt8] = []
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<10 {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 127) << (7 * UInt64(index))
            if byte < 128 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
        }
        return nil
    }
}
