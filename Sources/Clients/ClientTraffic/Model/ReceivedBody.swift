// SPDX-License-Identifier: Apache-2.0

/// The received part of an answer's body, and its position in the whole.
package struct ReceivedBody: Hashable, Sendable {
    /// The number of bytes that had come.
    private struct Mark: Hashable, Sendable {
        /// The start of a piece of time.
        var time: Instant
        var bytes: Int
    }

    /// The length of the pieces, in nanoseconds.
    private static let piece: Int64 = 10_000_000

    /// The place of its first byte in the whole: that of Content-Range.
    package var begin = 0
    /// The number of bytes that it has, as the server says: Content-Length; nil if it does not.
    package var length: Int?
    /// Whether the server says that it sends no parts (Accept-Ranges: none).
    package var isIndivisible = false
    /// One mark for each period in which bytes came, in order; none once all have come.
    private var marks: [Mark] = []
    /// Once all have come: when the last of them came before those that completed it; nil if none did.
    private var lastBeforeEnd: Instant?

    package init() {}

    /// Takes in that this many bytes have come in all.
    mutating func note(_ bytes: Int, at moment: Instant) {
        guard bytes > self.bytes else { return }
        let time = Instant(nanoseconds: moment.nanoseconds / Self.piece * Self.piece)
        if let last = marks.last, last.time >= time {
            marks[marks.count - 1].bytes = bytes
        } else {
            marks.append(Mark(time: time, bytes: bytes))
        }
    }

    /// Once all bytes have come, only the last time matters.
    mutating func complete() { (lastBeforeEnd, marks) = (marks.last?.time, []) }

    /// The number of bytes that have come.
    package var bytes: Int { marks.last?.bytes ?? 0 }

    /// The time of the last bytes, without those that completed it; nil if none came.
    package var last: Instant? { marks.last?.time ?? lastBeforeEnd }

    /// The number of bytes that had come at a moment.
    package func bytes(at moment: Instant) -> Int { marks.last { $0.time <= moment }?.bytes ?? 0 }

    /// The first byte that a field such as "bytes 500-999/1000" names (RFC 9110, section 14.4); nil for anything else.
    static func begin(ofContentRange text: String) -> Int? {
        let words = text.lowercased().split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0] == "bytes" else { return nil }
        return words[1].split(separator: "-").first.flatMap { Int(digits: $0) }
    }
}

extension ObservedRequest {
    /// The part that the field Range asks for (RFC 9110, section 14.2).
    package enum Part: Equatable {
        /// All of the answer: a field that is not understood is ignored (section 14.2).
        case all
        /// The bytes from this one on, or some of them.
        case from(Int)
        /// Several parts, or a number of bytes at the end.
        case other
    }

    package var part: Part {
        guard let range else { return .all }
        let halves = range.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
        guard halves.count == 2, halves[0].lowercased() == "bytes", !halves[1].isEmpty else { return .all }
        if halves[1].contains(",") || halves[1].hasPrefix("-") { return .other }
        let ends = halves[1].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(digits: ends[0]) else { return .all }
        guard ends[1].isEmpty || Int(digits: ends[1]).map({ $0 >= first }) ?? false else { return .all }
        return .from(first)
    }
}
