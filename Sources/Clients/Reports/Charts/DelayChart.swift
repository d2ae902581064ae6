// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// The link's delays in each direction, and the round-trip times over it, by time: a row each, with one common scale.
struct DelayChart {
    /// The curve of one row.
    private struct Series {
        let name: String
        /// The CSS class of the row's shapes.
        let kind: String
        let delays: KeyPath<LinkHistory.Piece, DurationSummary>
        let asked: KeyPath<AskedFigures, AskedFigure<Duration>?>?
    }

    private static var series: [Series] {
        [
            Series(name: "Delay to the server", kind: "uplink", delays: \.uplink.delays, asked: \.uplink.delay),
            Series(name: "Delay to the client", kind: "downlink", delays: \.downlink.delays, asked: \.downlink.delay),
            Series(name: "Round trips", kind: "trips", delays: \.roundTrips, asked: nil),
        ]
    }

    private static let height = 64.0
    /// The minimum and maximum number of parts into which the time is divided: few if there are few packets, and none
    /// narrower than a line.
    private static let parts = 40...120
    /// The average number of packets of a part that is enough for a median.
    private static let enough = 4

    private let timeline: RunTimeline
    private let time: TimeScale
    private let sums: [DurationSummary]
    private let handshakes: [(at: Duration, length: Duration)]
    /// The scale; nil if nothing was delayed.
    private let scale: DelayScale?

    init(_ timeline: RunTimeline, _ time: TimeScale) {
        (self.timeline, self.time) = (timeline, time)
        let sum = timeline.history.sum
        sums = Self.series.map { sum[keyPath: $0.delays] }
        handshakes = timeline.connections.compactMap(\.handshake)
        let lengths = handshakes.map(\.length)
        // A few unusually short delays would take half of the scale: it starts at the 5th percentile.
        let minimum = (sums.compactMap { $0.percentile(5) } + lengths).filter { $0 > .zero }.min()
        let maximum = (sums.compactMap(\.maximum) + lengths).max()
        if let minimum, let maximum, maximum > .zero {
            scale = DelayScale(minimum / .seconds(1), maximum / .seconds(1))
        } else {
            scale = nil
        }
    }

    /// A row for each direction that carried a packet, and one for round trips if there were any.
    var rows: [TimelineRow] {
        guard let scale else { return [] }
        return zip(Self.series, sums).compactMap { row($0, $1, scale) }
    }

    private func row(_ series: Series, _ sum: DurationSummary, _ scale: DelayScale) -> TimelineRow? {
        let handshakes = series.asked == nil ? handshakes : []
        guard sum.count > 0 || !handshakes.isEmpty else { return nil }
        var plot = Plot(time, height: Self.height)
        plot.scale(scale.ticks.map { (share: scale.share($0), words: Duration.seconds($0).words) })
        let y = { [plot] (value: Duration) in plot.level(of: scale.share(value / .seconds(1))) }
        draw(bins(series, sum.count), series, y, in: &plot)
        let asked = series.asked.map { timeline.asked($0) } ?? []
        for part in asked where part.value > .zero {
            plot.level("asked", part.begin, part.end, at: y(part.value))
        }
        for handshake in handshakes {
            let title = "handshake at \(handshake.at.words): \(handshake.length.words)"
            plot.sign("trip", "○", handshake.at, base: y(handshake.length) + 4, title: title)
        }
        var facts = sum.facts
        if let words = Self.range(asked.map(\.value)) { facts.append("asked for \(words)") }
        if let words = Self.range(handshakes.map(\.length)) { facts.append("handshakes (○) \(words)") }
        if scale.isLogarithmic { facts.append("logarithmic scale") }
        return plot.row(series.name, facts)
    }

    private typealias Bin = (begin: Duration, end: Duration, delays: DurationSummary)

    /// The parts of the time, with the delays in each.
    private func bins(_ series: Series, _ count: Int) -> [Bin] {
        let pieces = timeline.history.pieces.indices
        guard count > 0 else { return [] }
        let wanted = min(max(count / Self.enough, Self.parts.lowerBound), Self.parts.upperBound)
        let size = max((pieces.count + wanted - 1) / wanted, 1)
        return pieces.parts(of: size).map { part in
            let delays = timeline.history.sum(of: part)[keyPath: series.delays]
            return (timeline.time(ofPiece: part.lowerBound), timeline.time(ofPiece: part.upperBound), delays)
        }
    }

    /// Draws a band from the shortest to the longest delay of each part, and lines through the median and the 95th
    /// percentile, with gaps where no packet arrived.
    private func draw(_ bins: [Bin], _ series: Series, _ y: (Duration) -> Double, in plot: inout Plot) {
        var (band, high, median) = ("", "", "")
        var hasGap = true
        for bin in bins {
            guard let minimum = bin.delays.minimum, let maximum = bin.delays.maximum, let middle = bin.delays.median,
                let upper = bin.delays.percentile(95)
            else {
                hasGap = true
                continue
            }
            let (left, right) = (time.x(bin.begin), time.x(bin.end))
            band += "M\(left) \(y(minimum).figure)V\(y(maximum).figure)H\(right)V\(y(minimum).figure)Z"
            high += "\(hasGap ? "M\(left) " : "V")\(y(upper).figure)H\(right)"
            median += "\(hasGap ? "M\(left) " : "V")\(y(middle).figure)H\(right)"
            hasGap = false
        }
        plot.shape("band \(series.kind)", band)
        plot.shape("high \(series.kind)", high)
        plot.shape("median edge", median)
        plot.shape("median \(series.kind)", median)
        for bin in bins where bin.delays.count > 0 {
            let title = "\(bin.delays.facts.joined(separator: ", ")), \(bin.begin.words) to \(bin.end.words)"
            plot.bar("hit", bin.begin, bin.end, top: 0, height: Self.height, title: title)
        }
    }

    /// "20 ms to 105 ms"
    private static func range(_ values: [Duration]) -> String? {
        guard let minimum = values.min()?.words, let maximum = values.max()?.words else { return nil }
        return minimum == maximum ? minimum : "\(minimum) to \(maximum)"
    }
}

extension ConnectionLine {
    /// The time at which the connection was accepted, and the time since the attempt before; nil for a connection that
    /// was never accepted, and for one with several attempts, since any of them may have been answered.
    fileprivate var handshake: (at: Duration, length: Duration)? {
        guard let accepted else { return nil }
        let before = attempts.prefix { $0 <= accepted }
        guard before.count == 1, let asked = before.first else { return nil }
        return (accepted, accepted - asked)
    }
}

extension DurationSummary {
    /// "81.2 ms to 430 ms, median 210 ms"; nil if there are no durations.
    var words: String? {
        guard let minimum, let median, let maximum else { return nil }
        guard count > 1 else { return minimum.words }
        return "\(minimum.words) to \(maximum.words), median \(rounded(median).words)"
    }

    /// "median 210 ms", "95 % within 400 ms", "81.2 ms to 430 ms"; only the length if all are equal.
    fileprivate var facts: [String] {
        guard let minimum, let median, let maximum, let upper = percentile(95) else { return [] }
        guard minimum < maximum else { return [minimum.words] }
        let parts = ["median \(rounded(median).words)", "95 % within \(rounded(upper).words)"]
        return parts + ["\(minimum.words) to \(maximum.words)"]
    }

    /// Rounds a percentile to the digits that are accurate, unless the result would be outside the minimum and maximum.
    private func rounded(_ value: Duration) -> Duration {
        guard let minimum, let maximum, value > .zero else { return value }
        let step = Duration.seconds(Scale.round(value / .seconds(100)))
        let rounded = Duration.seconds((value / step).rounded() * (step / .seconds(1)))
        return (minimum...maximum).contains(rounded) ? rounded : value
    }
}
