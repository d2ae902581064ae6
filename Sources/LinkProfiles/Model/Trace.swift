// SPDX-License-Identifier: Apache-2.0

/// A reference from a profile to a recorded rate.
public struct TraceReference: Hashable, Sendable {
    /// The format of the file.
    public enum Format: String, CaseIterable, Sendable {
        /// One decimal number of milliseconds a line; each line is one opportunity to send 1500 bytes.
        case mahimahi
        /// Two columns, seconds and Mbit/s; each rate holds until the next line's time.
        case secondsMbit = "seconds-mbit"
    }

    /// The file's path, relative to the profile's own.
    public var file: String
    /// The format of the file.
    public var format: Format
    /// Whether the recording repeats after its end.
    public var loop: Bool

    /// Makes a reference to a recording that repeats, unless `loop` is false.
    public init(file: String, format: Format, loop: Bool = true) {
        self.file = file
        self.format = format
        self.loop = loop
    }
}

/// A recorded rate, read from a file.
public struct Trace: Hashable, Sendable {
    /// What the recording consists of.
    public enum Content: Hashable, Sendable {
        /// Milliseconds since the start, in ascending order; each is an opportunity to send 1500 bytes.
        case opportunities([UInt32])
        /// Rates, each valid from its time to that of the next.
        case rates([Step])
    }

    /// A rate and the time from which it is valid.
    public struct Step: Hashable, Sendable {
        /// Time since the start.
        public let at: Duration
        /// The rate from then on; zero is a pause.
        public let rate: BitRate
    }

    /// A line that violates the format.
    public struct Malformed: Error, Hashable, CustomStringConvertible {
        /// The line, counted from 1.
        public let line: Int
        /// What was found and what was expected.
        public let reason: String
        /// Line number and reason.
        public var description: String { "line \(line): \(reason)" }
    }

    /// Bytes of one opportunity in the mahimahi format.
    public static let opportunityBytes = 1500

    /// What the recording consists of.
    public let content: Content

    /// Reads a recording. Empty lines and lines that begin with "#" are ignored.
    public init(_ text: String, format: TraceReference.Format) throws(Malformed) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .map { Line(number: $0.offset + 1, words: $0.element.split { $0 == " " || $0 == "\t" }) }
            .filter { $0.words.first.map { !$0.hasPrefix("#") } ?? false }
        guard !lines.isEmpty else { throw Malformed(line: 1, reason: "the trace is empty") }
        switch format {
        case .mahimahi: content = .opportunities(try Self.opportunities(lines))
        case .secondsMbit: content = .rates(try Self.rates(lines))
        }
    }

    private struct Line {
        let number: Int
        let words: [Substring]

        func malformed(_ reason: String) -> Malformed { Malformed(line: number, reason: reason) }

        func isNot(_ expected: String) -> Malformed {
            malformed("found \(JSON.quoted(words.joined(separator: " "))); expected \(expected)")
        }
    }

    private static func opportunities(_ lines: [Line]) throws(Malformed) -> [UInt32] {
        var stamps: [UInt32] = []
        stamps.reserveCapacity(lines.count)
        for line in lines {
            guard line.words.count == 1, let stamp = UInt32(line.words[0]) else {
                throw line.isNot("whole milliseconds")
            }
            if let last = stamps.last, stamp < last {
                throw line.malformed("\(stamp) ms follows \(last) ms; times must not decrease")
            }
            stamps.append(stamp)
        }
        guard let last = stamps.last, last > 0 else {
            let reason = "the trace has no duration; its last time must be above 0"
            throw Malformed(line: lines.last?.number ?? 1, reason: reason)
        }
        return stamps
    }

    private static func rates(_ lines: [Line]) throws(Malformed) -> [Step] {
        var steps: [Step] = []
        for line in lines {
            guard line.words.count == 2, let seconds = Double(line.words[0]), let megabits = Double(line.words[1]),
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
        return steps
    }

    /// The duration of the recording; the last line of a rate trace marks its end.
    public var length: Duration {
        switch content {
        case .opportunities(let stamps): .milliseconds(Int64(stamps.last ?? 0))
        case .rates(let steps): steps.last?.at ?? .zero
        }
    }

    /// The mean rate over the whole length; nil if the length is zero.
    public var meanRate: BitRate? {
        guard length > .zero else { return nil }
        let seconds = Double(length.nanoseconds) / 1e9
        let bits: Double =
            switch content {
            case .opportunities(let stamps): Double(stamps.count * Self.opportunityBytes * 8)
            case .rates(let steps):
                zip(steps, steps.dropFirst()).reduce(0) { sum, pair in
                    let held = Double((pair.1.at - pair.0.at).nanoseconds) / 1e9
                    return sum + Double(pair.0.rate.bitsPerSecond) * held
                }
            }
        return BitRate(bitsPerSecond: UInt64((bits / seconds).rounded()))
    }

    /// The longest time without an opportunity to send.
    public var longestPause: Duration {
        switch content {
        case .opportunities(let stamps):
            let gaps = zip(stamps.dropFirst(), stamps).map { $0 - $1 } + [stamps.first ?? 0]
            return .milliseconds(Int64(gaps.max() ?? 0))
        case .rates(let steps):
            var longest = Duration.zero
            var start: Duration?
            for step in steps {
                if let start { longest = max(longest, step.at - start) }
                start = step.rate.isZero ? (start ?? step.at) : nil
            }
            return longest
        }
    }
}

/// The recordings that a profile names, read.
public typealias Recordings = [TraceReference: Trace]
