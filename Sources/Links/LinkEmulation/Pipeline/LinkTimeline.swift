// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The figures of one direction over time, from the profile's schedule and recordings.
package struct LinkTimeline: Equatable, Sendable {
    private struct Interval: Equatable, Sendable {
        /// The start in seconds.
        let start: Double
        let impairments: Impairments
    }

    private let intervals: [Interval]
    private let recordings: Recordings
    /// The number of seconds to draw: one repetition, or until some time after the last change.
    package let length: Double
    /// Whether the figures repeat after `length`.
    package let repeats: Bool

    /// Makes the timeline of one direction; nil if its figures do not change with time.
    package init?(_ profile: Profile, _ lane: Lane, _ recordings: Recordings) {
        let conditions = LaneConditions(profile, lane, traces: recordings)
        intervals = conditions.intervals.map { Interval(start: Double($0.start) / 1e9, impairments: $0.impairments) }
        self.recordings = recordings
        let traces = intervals.compactMap { $0.impairments.trace.flatMap { recordings[$0] } }
        let isScheduled = Set(intervals.map(\.impairments)).count > 1
        guard isScheduled || !traces.isEmpty else { return nil }
        let period = isScheduled ? conditions.period.map { $0 / .seconds(1) } : nil
        let longest = traces.map { $0.length / .seconds(1) }.max() ?? 0
        length = period ?? max((intervals.last?.start ?? 0) * 1.25, longest)
        repeats = isScheduled ? period != nil : conditions.base.trace?.loop == true
        guard length > 0 else { return nil }
    }

    /// The mean rate of each of `count` equal parts of `length`, in bit/s, or infinity without a limit; empty if the
    /// rate is never limited.
    package func rates(_ count: Int) -> [Double] {
        let isLimited = intervals.contains { $0.impairments.rate != nil || $0.impairments.trace != nil }
        return isLimited ? means(count) { bits($0, from: $1, to: $2) } : []
    }

    /// The mean delay of each of `count` equal parts of `length`, in seconds; empty if the delay does not change.
    package func delays(_ count: Int) -> [Double] {
        guard Set(intervals.map { $0.impairments.delay ?? .zero }).count > 1 else { return [] }
        return means(count) { impairments, from, to in (impairments.delay ?? .zero) / .seconds(1) * (to - from) }
    }

    /// The mean share of packets that the loss model drops in each of `count` equal parts of `length`.
    package func losses(_ count: Int) -> [Double] {
        means(count) { impairments, from, to in (impairments.loss?.meanLoss ?? 0) * (to - from) }
    }

    private func means(_ count: Int, of integral: (Impairments, Double, Double) -> Double) -> [Double] {
        let ends = intervals.dropFirst().map(\.start) + [.infinity]
        return (0..<count).map { index in
            let (from, to) = (length * Double(index) / Double(count), length * Double(index + 1) / Double(count))
            let sum = zip(intervals, ends).reduce(0.0) { sum, interval in
                let (start, end) = (max(from, interval.0.start), min(to, interval.1))
                return start < end ? sum + integral(interval.0.impairments, start, end) : sum
            }
            return sum / (to - from)
        }
    }

    private func bits(_ impairments: Impairments, from: Double, to: Double) -> Double {
        if let rate = impairments.rate { return Double(rate.bitsPerSecond) * (to - from) }
        guard let reference = impairments.trace, let trace = recordings[reference] else { return .infinity }
        return trace.bits(until: to, repeats: reference.loop) - trace.bits(until: from, repeats: reference.loop)
    }
}

extension Trace {
    /// The number of bits that the recording lets pass in the first `seconds`.
    fileprivate func bits(until seconds: Double, repeats: Bool) -> Double {
        let length = self.length / .seconds(1)
        guard length > 0, repeats || seconds < length else { return bits(inFirst: seconds) }
        let rounds = (seconds / length).rounded(.down)
        return rounds * bits(inFirst: length) + bits(inFirst: seconds - rounds * length)
    }

    private func bits(inFirst seconds: Double) -> Double {
        switch content {
        case .opportunities(let stamps):
            var (low, high) = (0, stamps.count)
            while low < high {
                let middle = (low + high) / 2
                if Double(stamps[middle]) <= seconds * 1000 { low = middle + 1 } else { high = middle }
            }
            return Double(low * Self.opportunityBytes * 8)
        case .rates(let steps):
            let ends = steps.dropFirst().map { $0.at / .seconds(1) } + [.infinity]
            return zip(steps, ends).reduce(0) { sum, step in
                let start = step.0.at / .seconds(1)
                return sum + Double(step.0.rate.bitsPerSecond) * max(min(seconds, step.1) - start, 0)
            }
        }
    }
}
