// SPDX-License-Identifier: Apache-2.0

/// What a link did to a packet. In a capture it is a comment of the packet, such as
/// `lane=uplink fate=dropped reason=loss due=125.000000ms`.
public struct PacketFate: Hashable, Sendable {
    /// What became of a packet.
    public enum Outcome: String, CaseIterable, Sendable {
        /// Delivered.
        case passed
        /// Delivered a second time.
        case duplicate
        /// Delivered with a wrong bit.
        case corrupted
        /// Delivered with a congestion mark (RFC 3168).
        case marked
        /// Not delivered.
        case dropped
        /// Delivered or not: what would tell was not seen.
        case unknown
    }

    /// The lane: `uplink`, `downlink` or `dns`.
    public var lane: String
    /// What became of it.
    public var outcome: Outcome
    /// Why it was dropped, in the words of the packet log, or why that is not known; nil otherwise.
    public var reason: String?
    /// The time from its arrival until the model delivers or drops it; nil if the kernel, which does not tell, carried it.
    public var due: Duration?
    /// The time from its arrival until it was delivered; nil if it was not.
    public var delay: Duration?
    /// How many wire packets it is the fate of: those of one super-packet that were delivered together.
    public var packets = 1

    /// Describes what became of a packet.
    public init(lane: String, _ outcome: Outcome, reason: String? = nil, due: Duration?, delay: Duration?) {
        self.lane = lane
        self.outcome = outcome
        self.reason = reason
        self.due = due
        self.delay = delay
    }
}

extension PacketFate: CustomStringConvertible {
    /// The comment.
    public var description: String {
        var text: [UInt8] = []
        let times = (due.map(Self.nanoseconds), delay.map(Self.nanoseconds))
        Self.write(words, due: times.0, delay: times.1, packets: packets, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The begin of the comment, without times: the same for all packets of a lane with this fate.
    package var words: [UInt8] {
        Array("lane=\(lane) fate=\(outcome.rawValue)\(reason.map { " reason=\($0)" } ?? "")".utf8)
    }

    /// Writes a comment, with times in nanoseconds.
    ///
    /// - Parameter words: its begin.
    package static func write(_ words: [UInt8], due: Int64?, delay: Int64?, packets: Int = 1, to text: inout [UInt8]) {
        text += words
        if let due {
            text += Self.due
            write(due, to: &text)
        }
        if let delay {
            text += Self.delay
            write(delay, to: &text)
        }
        if packets > 1 { text += " packets=\(packets)".utf8 }
    }

    private static let due = Array(" due=".utf8)
    private static let delay = Array(" delay=".utf8)

    /// Reads a comment; nil for another one.
    public init?(comment: some StringProtocol) {
        // As bytes: a capture may hold millions of them.
        let bytes = Array(comment.utf8)
        var (lane, fate, reason): (ArraySlice<UInt8>?, ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        var (due, delay, packets): (Duration?, Duration?, Int?)
        for word in bytes.split(separator: UInt8(ascii: " ")) {
            guard let sign = word.firstIndex(of: UInt8(ascii: "=")), sign > word.startIndex, sign + 1 < word.endIndex
            else { return nil }
            let value = word[(sign + 1)...]
            switch word[..<sign] {
            case Self.laneKey where lane == nil: lane = value
            case Self.fateKey where fate == nil: fate = value
            case Self.reasonKey where reason == nil: reason = value
            case Self.dueKey where due == nil:
                due = Self.duration(value)
                guard due != nil else { return nil }
            case Self.delayKey where delay == nil: delay = Self.duration(value)
            case Self.packetsKey where packets == nil: packets = Int(String(decoding: value, as: UTF8.self))
            case Self.laneKey, Self.fateKey, Self.reasonKey, Self.dueKey: return nil
            default: break
            }
        }
        guard let lane, let fate, let outcome = Outcome(rawValue: String(decoding: fate, as: UTF8.self)) else {
            return nil
        }
        let text = reason.map { String(decoding: $0, as: UTF8.self) }
        self.init(lane: String(decoding: lane, as: UTF8.self), outcome, reason: text, due: due, delay: delay)
        self.packets = packets ?? 1
    }

    private static let laneKey = ArraySlice("lane".utf8)
    private static let fateKey = ArraySlice("fate".utf8)
    private static let reasonKey = ArraySlice("reason".utf8)
    private static let dueKey = ArraySlice("due".utf8)
    private static let delayKey = ArraySlice("delay".utf8)
    private static let packetsKey = ArraySlice("packets".utf8)

    /// Writes a time in milliseconds with six decimal places.
    private static func write(_ nanoseconds: Int64, to text: inout [UInt8]) {
        if nanoseconds < 0 { text.append(UInt8(ascii: "-")) }
        let start = text.count
        var rest = nanoseconds.magnitude
        // From the last digit to the first.
        text.append(UInt8(ascii: "s"))
        text.append(UInt8(ascii: "m"))
        var digits = 0
        while digits <= 6 || rest > 0 {
            if digits == 6 { text.append(UInt8(ascii: ".")) }
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
            digits += 1
        }
        text[start...].reverse()
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
    }

    /// A time in milliseconds with six decimal places, such as "-1.500000ms".
    private static func duration(_ text: ArraySlice<UInt8>) -> Duration? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0).dropLast(2)
        guard text.suffix(2) == [UInt8(ascii: "m"), UInt8(ascii: "s")], 8...20 ~= digits.count else { return nil }
        var nanoseconds: Int64 = 0
        for (place, digit) in digits.enumerated() {
            if place == digits.count - 7 {
                guard digit == UInt8(ascii: ".") else { return nil }
            } else {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
                nanoseconds = nanoseconds * 10 + Int64(digit - UInt8(ascii: "0"))
                guard nanoseconds < 1 << 59 else { return nil }
            }
        }
        return .nanoseconds(isNegative ? -nanoseconds : nanoseconds)
    }
}
