// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles

/// The charts of a profile in `show`: rate and delay over time if they change, and the distribution of a delay that
/// varies.
struct LinkCharts {
    private let profile: Profile
    private let recordings: Recordings
    /// The number of columns of the terminal.
    private let width: Int

    init(_ profile: Profile, _ recordings: Recordings, width: Int) {
        (self.profile, self.recordings, self.width) = (profile, recordings, width)
    }

    /// The charts as lines; empty if nothing varies, or the terminal is too narrow.
    var lines: [OutputLine] {
        directions { LinkTimeline(profile, $0, recordings) }.flatMap { name, timeline in
            timeCharts(name, timeline)
        }
            + directions { lane in profile.impairments(of: lane).flatMap(DelayShape.init) }.flatMap { name, shape in
                distributionChart(name, shape)
            }
    }

    /// Returns the value of each direction with the direction's name; a single "both ways" if the values are equal.
    private func directions<Value: Equatable>(_ value: (Lane) -> Value?) -> [(name: String, value: Value)] {
        let (downlink, uplink) = (value(.downlink), value(.uplink))
        if let downlink, downlink == uplink { return [("both ways", downlink)] }
        return [("downlink", downlink), ("uplink", uplink)].compactMap { name, value in value.map { (name, $0) } }
    }

    private func timeCharts(_ name: String, _ timeline: LinkTimeline) -> [OutputLine] {
        timeChart("rate, \(name)", timeline, { timeline.rates($0) }, { "\(BitRate(rounding: $0))" })
            + timeChart("delay, \(name)", timeline, { timeline.delays($0) }, { Duration.seconds($0).words })
    }

    private func timeChart(
        _ title: String,
        _ timeline: LinkTimeline,
        _ means: (_ count: Int) -> [Double],
        _ text: (Double) -> String
    ) -> [OutputLine] {
        // The label's length depends on the number of columns by a character or two.
        let room = BarChart.columns(width: width, labels: [text(means(60).filter(\.isFinite).max() ?? 0)])
        guard room >= Self.fewest else { return [] }
        let values = means(room)
        guard let maximum = values.filter(\.isFinite).max() else { return [] }
        let unlimited = values.contains(.infinity) ? "; ░ is without limit" : ""
        return BarChart(
            title: "\(title), over time\(timeline.repeats ? ", repeated" : "")\(unlimited)",
            values: values,
            maximum: text(maximum),
            minimum: "0",
            ends: ("0 s", Duration.seconds(timeline.length).words)
        ).lines
    }

    /// The fewest columns with which a chart is readable.
    private static let fewest = 16

    private func distributionChart(_ name: String, _ shape: DelayShape) -> [OutputLine] {
        let room = BarChart.columns(width: width, labels: [])
        guard room >= Self.fewest, shape.minimum < shape.maximum else { return [] }
        let order = shape.isOrdered ? "; each also waits for the one before it" : ""
        return BarChart(
            title: "delays of packets, \(name)\(order)",
            values: shape.shares(room),
            maximum: "",
            minimum: "",
            ends: (Duration.seconds(shape.minimum).words, Duration.seconds(shape.maximum).words)
        ).lines
    }
}

/// The distribution of the packets' delays under jitter.
private struct DelayShape: Equatable {
    private let delay: Double
    private let jitter: Jitter

    init?(_ impairments: Impairments) {
        guard let jitter = impairments.jitter, jitter.amount > .zero else { return nil }
        (delay, self.jitter) = ((impairments.delay ?? .zero) / .seconds(1), jitter)
    }

    var isOrdered: Bool { jitter.ordered }
    var minimum: Double { max(delay + amount * (quantiles.first ?? -1), 0) }
    var maximum: Double { max(delay + amount * (quantiles.last ?? 1), 0) }

    private var amount: Double { jitter.amount / .seconds(1) }

    /// The distribution's quantiles at equal steps, in units of the jitter's amount; empty for the uniform
    /// distribution.
    private var quantiles: [Double] {
        DelayTable.values(for: jitter.distribution).map { Double($0) / Double(DelayTable.unit) }
    }

    /// The share of the packets in each of `count` equal parts of the range from the minimum to the maximum delay.
    func shares(_ count: Int) -> [Double] {
        // For the uniform distribution: enough points that each part gets the same number.
        let even = (0..<64 * count).map { (Double($0) + 0.5) / Double(32 * count) - 1 }
        let delays = (quantiles.isEmpty ? even : quantiles).map { max(delay + amount * $0, 0) }
        var counts = [Double](repeating: 0, count: count)
        for each in delays { counts[min(Int((each - minimum) / (maximum - minimum) * Double(count)), count - 1)] += 1 }
        return counts.map { $0 / Double(delays.count) }
    }
}
