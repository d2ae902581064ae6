// SPDX-License-Identifier: Apache-2.0

extension Trace {
    /// Reads a recording. Ignores empty lines and lines that start with "#".
    public init(_ text: String, format: TraceReference.Format) throws(Malformed) {
        // Parsed as bytes: a recording may have millions of lines.
        let lines = Lines(bytes: Array(text.utf8))
        switch format {
        case .mahimahi: content = .opportunities(try Self.opportunities(lines))
        case .secondsMbit: content = .rates(try Self.rates(lines))
        }
    }

    /// The lines of a text that are neither empty nor comments.
    private struct Lines: Sequence, IteratorProtocol {
        let bytes: [UInt8]
        private var start = 0
        private var number = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() -> Line? {
            while start < bytes.count {
                var end = start
                while end < bytes.count, !Self.isNewline(bytes[end]) { end += 1 }
                number += 1
                let line = Line(number: number, bytes: bytes[start..<end])
                let isPair =
                    end + 1 < bytes.count && bytes[end] == UInt8(ascii: "\r") && bytes[end + 1] == UInt8(ascii: "\n")
                start = end + (isPair ? 2 : 1)
                if let first = line.bytes.first(where: { !Line.isSpace($0) }), first != UInt8(ascii: "#") {
                    return line
                }
            }
            return nil
        }

        private static func isNewline(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        }
    }

    private struct Line {
        let number: Int
        let bytes: ArraySlice<UInt8>

        var words: [String] { bytes.split(whereSeparator: Self.isSpace).map { String(decoding: $0, as: UTF8.self) } }

        /// The number, if the line consists of one whole number; otherwise nil.
        var wholeNumber: UInt32? {
            let word = bytes.drop(while: Self.isSpace).prefix { !Self.isSpace($0) }
            guard bytes[word.endIndex...].allSatisfy(Self.isSpace) else { return nil }
            return UInt32(String(decoding: word, as: UTF8.self))
        }

        static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

        func malformed(_ reason: String) -> Malformed { Malformed(line: number, reason: reason) }

        /// An error that quotes the line only if it may be meant as numbers: another user's profile may name any file
        /// that this user can read, and must not reveal its contents.
        func isNot(_ expected: String) -> Malformed {
            let isNumeric = bytes.count <= 40 && bytes.allSatisfy { "0123456789.,+-eE \t".utf8.contains($0) }
            let found = isNumeric ? JSON.quoted(words.joined(separator: " ")) : "other text"
            return malformed("found \(found); expected \(expected)")
        }
    }

    private static func opportunities(_ lines: Lines) throws(Malformed) -> [UInt32] {
        var stamps: [UInt32] = []
        var number = 1
        for line in lines {
            guard let stamp = line.wholeNumber else { throw line.isNot("whole milliseconds") }
            number = line.number
            if let last = stamps.last, stamp < last {
                throw line.malformed("\(stamp) ms follows \(last) ms; times must not decrease")
            }
            stamps.append(stamp)
        }
        guard let last = stamps.last else { throw Self.empty }
        guard last > 0 else {
            throw Malformed(line: number, reason: "the trace has no duration; its last time must be above 0")
        }
        return stamps
    }

    private static let empty = Malformed(line: 1, reason: "the trace is empty")

    private static func rates(_ lines: Lines) throws(Malformed) -> [Step] {
        var steps: [Step] = []
        for line in lines {
            let words = line.words
            guard words.count == 2, let seconds = Double(words[0]), let megabits = Double(words[1]),
                (0...1e9).contains(seconds), (0...1e7).contains(megabits)
            else { throw line.isNot("seconds and Mbit/s") }
            let step = Step(
                at: .nanoseconds(Int64((seconds * 1e9).rounded())),
                rate: BitRate(bitsPerSecond: UInt64((megabits * 1e6).rounded()))
            )
            if let last = steps.last, step.at <= last.at {
                throw line.malformed("\(seconds) s is not after the previous line; times must increase")
            }
            steps.append(step)
        }
        guard !steps.isEmpty else { throw Self.empty }
        return steps
    }

    /// The recording in its file's format, with all digits: reading it gives the same recording.
    public var text: String {
        switch content {
        case .opportunities(let stamps):
            var text: [UInt8] = []
            for stamp in stamps {
                text += stamp.description.utf8
                text.append(UInt8(ascii: "\n"))
            }
            return String(decoding: text, as: UTF8.self)
        case .rates(let steps):
            return steps.map { step in
                "\(Double(step.at.nanoseconds) / 1e9) \(Double(step.rate.bitsPerSecond) / 1e6)\n"
            }.joined()
        }
    }
}
