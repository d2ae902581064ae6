// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A link's effect on a packet, and its time. In a capture it is a comment of the packet, such as `lane=uplink
/// fate=dropped reason=randomLoss due=125.000000ms`.
package struct PacketFate: Hashable, Sendable {
    package var lane: Lane
    package var fate: Fate
    /// The time from the packet's arrival until the model delivers or drops it, in nanoseconds; nil if not recorded.
    package var dueNanoseconds: Int64?
    /// The time from the packet's arrival until its delivery, in nanoseconds; nil if it was not delivered.
    package var delayNanoseconds: Int64?
    /// The number of wire packets with this fate: parts of one super-packet that were delivered together.
    package var packets = 1
    /// Whether this is the fate of a copy made by the link that was not delivered intact; an intact copy has the fate
    /// ``Fate/duplicate`` and not this flag.
    package var isCopy = false
    /// The fault that made the packet in the name of one end; nil for a packet that an end itself sent.
    package var maker: FaultMark?

    package init(lane: Lane, _ fate: Fate, due: Duration?, delay: Duration?) {
        self.lane = lane
        self.fate = fate
        dueNanoseconds = due?.nanoseconds
        delayNanoseconds = delay?.nanoseconds
    }

    /// The time from the packet's arrival until the model delivers or drops it; nil if not recorded.
    package var due: Duration? { dueNanoseconds.map { .nanoseconds($0) } }
    /// The time from the packet's arrival until its delivery; nil if it was not delivered.
    package var delay: Duration? { delayNanoseconds.map { .nanoseconds($0) } }
}

extension PacketFate: CustomStringConvertible {
    /// The comment.
    package var description: String {
        var text: [UInt8] = []
        let words = Self.words(lane, fate)
        Self.write(
            words,
            due: dueNanoseconds,
            delay: delayNanoseconds,
            packets: packets,
            isCopy: isCopy,
            maker: maker,
            to: &text
        )
        return String(decoding: text, as: UTF8.self)
    }

    /// The start of the comment, before the times: equal for all packets of `lane` with this fate.
    package static func words(_ lane: Lane, _ fate: Fate) -> [UInt8] {
        Array("lane=\(lane.name) fate=\(fate.name)\(fate.reasonWord.map { " reason=\($0)" } ?? "")".utf8)
    }

    /// Writes a comment, with times in nanoseconds.
    ///
    /// - Parameter words: the start of the comment, from ``words(_:_:)``.
    package static func write(
        _ words: [UInt8],
        due: Int64?,
        delay: Int64?,
        packets: Int = 1,
        isCopy: Bool = false,
        maker: FaultMark? = nil,
        to text: inout [UInt8]
    ) {
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
        if isCopy { text += " copy=1".utf8 }
        if let maker { text += " made=\(maker.word)".utf8 }
    }

    private static let due = Array(" due=".utf8)
    private static let delay = Array(" delay=".utf8)

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
}
