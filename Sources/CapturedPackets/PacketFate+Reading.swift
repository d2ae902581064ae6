// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension PacketFate {
    /// Reads a comment; nil for another one.
    package init?(comment: some StringProtocol) {
        var comment = String(comment)
        guard let fate = comment.withUTF8({ Self.read($0) }) else { return nil }
        self = fate
    }

    /// What a word of a comment tells.
    private enum Key {
        case lane, fate, reason, due, delay, packets

        init?(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
            switch (bytes.count, bytes.first) {
            case (4, UInt8(ascii: "l")) where bytes.elementsEqual("lane".utf8): self = .lane
            case (4, UInt8(ascii: "f")) where bytes.elementsEqual("fate".utf8): self = .fate
            case (6, UInt8(ascii: "r")) where bytes.elementsEqual("reason".utf8): self = .reason
            case (3, UInt8(ascii: "d")) where bytes.elementsEqual("due".utf8): self = .due
            case (5, UInt8(ascii: "d")) where bytes.elementsEqual("delay".utf8): self = .delay
            case (7, UInt8(ascii: "p")) where bytes.elementsEqual("packets".utf8): self = .packets
            default: return nil
            }
        }
    }

    /// A super-packet stands for no more wire packets: its length has 16 bits, and each has a byte.
    private static let mostPackets = 1 << 16

    /// Reads the bytes of a comment in place: a capture may hold millions of them.
    private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> PacketFate? {
        var (lane, name, reason): (Lane?, String?, String?)
        var (due, delay, packets): (Duration?, Duration?, Int?)
        var rest = bytes[...]
        while !rest.isEmpty {
            let word = rest.prefix { $0 != UInt8(ascii: " ") }
            rest = rest.dropFirst(word.count + 1)
            if word.isEmpty { continue }
            let key = word.prefix { $0 != UInt8(ascii: "=") }
            let value = word.dropFirst(key.count + 1)
            guard !key.isEmpty, !value.isEmpty else { return nil }
            switch Key(key) {
            case .lane:
                guard lane == nil, let known = Lane(name: String(decoding: value, as: UTF8.self)) else { return nil }
                lane = known
            case .fate:
                guard name == nil else { return nil }
                name = String(decoding: value, as: UTF8.self)
            case .reason:
                guard reason == nil else { return nil }
                reason = String(decoding: value, as: UTF8.self)
            case .due:
                guard due == nil, let time = duration(value) else { return nil }
                due = time
            case .delay: delay = delay ?? duration(value)
            case .packets:
                guard packets == nil, let count = Int(String(decoding: value, as: UTF8.self)),
                    1...mostPackets ~= count
                else { return nil }
                packets = count
            case nil: break
            }
        }
        guard let lane, let fate = name.flatMap({ Fate(name: $0, reasonName: reason) }) else { return nil }
        var result = PacketFate(lane: lane, fate, due: due, delay: delay)
        result.packets = packets ?? 1
        return result
    }

    /// A time in milliseconds with six decimal places, such as "-1.500000ms".
    private static func duration(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Duration? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0).dropLast(2)
        guard text.suffix(2).elementsEqual("ms".utf8), 8...20 ~= digits.count else { return nil }
        let point = digits.endIndex - 7
        var nanoseconds: Int64 = 0
        for index in digits.indices {
            if index == point {
                guard digits[index] == UInt8(ascii: ".") else { return nil }
            } else {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digits[index] else { return nil }
                nanoseconds = nanoseconds * 10 + Int64(digits[index] - UInt8(ascii: "0"))
                guard nanoseconds < 1 << 59 else { return nil }
            }
        }
        return .nanoseconds(isNegative ? -nanoseconds : nanoseconds)
    }
}
