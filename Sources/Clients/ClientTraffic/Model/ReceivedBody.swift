// SPDX-License-Identifier: Apache-2.0

/// The received part of an answer's body, and its position in the whole resource.
package struct ReceivedBody: Hashable, Sendable {
    /// The number of bytes received by the end of a period.
    private struct Mark: Hashable, Sendable {
        /// The start of the period.
        var time: Instant
        var bytes: Int
    }

    /// The length of a period, in nanoseconds.
    private static let piece: Int64 = 10_000_000

    /// The position of the body's first byte in the whole resource, from Content-Range.
    package var begin = 0
    /// The body's length, as the server announced it in Content-Length; nil if it did not.
    package var length: Int?
    /// Whether the server refuses range requests (Accept-Ranges: none).
    package var isIndivisible = false
    /// One mark for each period in which bytes were received, in order; none once the body is complete.
    private var marks: [Mark] = []
    /// For a complete body: the period of the last bytes before the packet that completed it; nil if there were none.
    private var lastBeforeEnd: Instant?

    package init() {}

    /// Notes that `bytes` bytes in all had been received at `moment`; ignores a number that is not greater than the
    /// last.
    mutating func note(_ bytes: Int, at moment: Instant) {
        guard bytes > self.bytes else { return }
        let time = Instant(nanoseconds: moment.nanoseconds / Self.piece * Self.piece)
        if let last = marks.last, last.time >= time {
            marks[marks.count - 1].bytes = bytes
        } else {
            marks.append(Mark(time: time, bytes: bytes))
        }
    }

    /// Marks the body as complete: drops the marks, and keeps only the time of the last one.
    mutating func complete() { (lastBeforeEnd, marks) = (marks.last?.time, []) }

    /// The number of bytes received; 0 once the body is complete.
    package var bytes: Int { marks.last?.bytes ?? 0 }

    /// The time of the last bytes before the packet that completed the body; nil if there were none.
    package var last: Instant? { marks.last?.time ?? lastBeforeEnd }

    /// The number of bytes received by `moment`.
    package func bytes(at moment: Instant) -> Int { marks.last { $0.time <= moment }?.bytes ?? 0 }

    /// Parses the position of the first byte in a field such as "bytes 500-999/1000" (RFC 9110, section 14.4); nil for
    /// anything else.
    static func begin(ofContentRange text: String) -> Int? {
        let words = text.lowercased().split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0] == "bytes" else { return nil }
        return words[1].split(separator: "-").first.flatMap { Int(digits: $0) }
    }
}

extension ObservedRequest {
    /// The part that the field Range asks for (RFC 9110, section 14.2).
    package enum Part: Equatable {
        /// The whole resource: there is no such field, or one that cannot be parsed, which a server ignores (section
        /// 14.2).
        case all
        /// A range that starts at this byte, with or without an end.
        case from(Int)
        /// Several ranges, or a number of bytes at the end ("bytes=-500").
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
