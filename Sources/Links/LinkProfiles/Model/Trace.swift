// SPDX-License-Identifier: Apache-2.0

/// A reference from a profile to a recorded rate.
public struct TraceReference: Hashable, Sendable {
    /// The format of the file.
    public enum Format: String, CaseIterable, Sendable {
        /// One decimal number of milliseconds on each line; each line is one opportunity to send 1500 bytes.
        case mahimahi
        /// Two columns, seconds and Mbit/s; each rate is valid until the next line's time.
        case secondsMbit = "seconds-mbit"
    }

    /// The file's path, relative to the directory of the profile's file.
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
    /// The kinds of recordings.
    public enum Content: Hashable, Sendable {
        /// Milliseconds since the start, in ascending order; each is an opportunity to send 1500 bytes.
        case opportunities([UInt32])
        /// Rates, each valid from its time to the time of the next one.
        case rates([Step])
    }

    /// A rate and the time from which it is valid.
    public struct Step: Hashable, Sendable {
        /// The time since the start of the recording.
        public let at: Duration
        /// The rate from this time on; zero is a pause.
        public let rate: BitRate
    }

    /// A line that violates the format.
    public struct Malformed: Error, Hashable, CustomStringConvertible {
        /// The line, counted from 1.
        public let line: Int
        /// The text found, and the text expected.
        public let reason: String
        /// Line number and reason.
        public var description: String { "line \(line): \(reason)" }
    }

    /// Bytes of one opportunity in the mahimahi format.
    public static let opportunityBytes = 1500

    /// The recorded values.
    public let content: Content

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

/// The contents of the recordings that a profile refers to, by reference.
public typealias Recordings = [TraceReference: Trace]
