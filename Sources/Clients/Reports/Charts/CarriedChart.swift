// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// A chart of a link's traffic over time: rates and losses.
struct CarriedChart {
    /// A period that is wide enough to be seen.
    struct Bin {
        var begin: Duration
        var end: Duration
        /// The indices of the pieces of the history in the bin; `piece` is their sum.
        var indices: Range<Int>
        var piece: LinkHistory.Piece
    }

    private typealias Column = (begin: Duration, end: Duration, share: Double)
    typealias Way = KeyPath<LinkHistory.Piece, LinkHistory.Carried>

    /// The maximum number of bins.
    private static let binLimit = 240
    /// The minimum length of a bin: a shorter one has too few packets for a rate.
    private static let shortest = Duration.milliseconds(50)
    private static let height = 72.0

    let timeline: RunTimeline
    let time: TimeScale
    let bins: [Bin]

    init(_ timeline: RunTimeline, _ time: TimeScale) {
        (self.timeline, self.time) = (timeline, time)
        bins = Self.bins(timeline, atLeast: .zero)
    }

    private static func bins(_ timeline: RunTimeline, atLeast minimum: Duration) -> [Bin] {
        let length = timeline.step * timeline.history.pieces.count
        let wanted = max(length / binLimit, shortest, minimum)
        let size = max(Int((wanted / timeline.step).rounded(.up)), 1)
        return timeline.history.pieces.indices.parts(of: size).map { indices in
            let begin = timeline.time(ofPiece: indices.lowerBound)
            let sum = timeline.history.sum(of: indices)
            return Bin(begin: begin, end: begin + timeline.step * size, indices: indices, piece: sum)
        }
    }

    /// Bins that are long enough for about four packets each, since a single packet shows no rate.
    private func rateBins(_ way: Way) -> [Bin] {
        let packets = bins.reduce(0) { $0 + $1.piece[keyPath: way].packets }
        guard packets > 0 else { return bins }
        let length = timeline.step * timeline.history.pieces.count
        return Self.bins(timeline, atLeast: min(length / packets * 4, length / 12))
    }

    /// The row of one direction's rate, with the rate that the profile sets.
    func rates(_ name: String, _ way: Way, _ asked: KeyPath<AskedFigures, AskedFigure<BitRate>?>) -> TimelineRow {
        let bins = rateBins(way)
        let limits = timeline.asked(asked)
        let bytes = arrivingBytes(way, limits)
        let rates = bins.map { bin in bytes[bin.indices].reduce(0, +) * 8 / ((bin.end - bin.begin) / .seconds(1)) }
        let peak = rates.max() ?? 0
        // A limit far above the measured rates is not drawn: it would leave no height for them.
        let shown = limits.filter { Double($0.value.bitsPerSecond) <= max(peak, 1) * 4 }
        let scale = Scale(max(peak, Double(shown.map(\.value.bitsPerSecond).max() ?? 0)), count: 3)
        var plot = Plot(time, height: Self.height)
        plot.scale(scale.ticks.map { (share: scale.share($0), words: "\($0.prefixed)bit/s") })
        let columns = zip(bins, rates).map { (begin: $0.begin, end: $0.end, share: scale.share($1)) }
        plot.shape(way == \.uplink ? "area uplink" : "area downlink", area(columns, in: plot))
        for part in shown {
            let share = scale.share(Double(part.value.bitsPerSecond))
            plot.level("asked", part.begin, part.end, at: plot.level(of: share))
        }
        let total = bins.reduce(0) { $0 + $1.piece[keyPath: way].bytes }
        var facts = ["\(Double(total).prefixed)B", "at most \(peak.prefixed)bit/s"]
        let asked = limits.map(\.value.bitsPerSecond)
        if let minimum = asked.min(), let maximum = asked.max() {
            let lower = minimum < maximum ? "\(Double(minimum).prefixed)bit/s to " : ""
            facts.append("asked for \(lower)\(Double(maximum).prefixed)bit/s")
        }
        return plot.row(name, facts)
    }

    /// The bytes that arrived in each piece of the history.
    private func arrivingBytes(_ way: Way, _ limits: [AskedFigure<BitRate>.Part]) -> [Double] {
        let delivered = timeline.history.pieces.map { $0[keyPath: way].bytes }
        var coming = limits[...]
        let capacities = delivered.indices.map { index -> Double? in
            let time = timeline.time(ofPiece: index)
            while let part = coming.first, part.end <= time { coming.removeFirst() }
            guard let part = coming.first, part.begin <= time else { return nil }
            return Double(part.value.bitsPerSecond) / 8 * (timeline.step / .seconds(1))
        }
        return ArrivingBytes.each(delivered, capacities: capacities)
    }

    /// The packets that the link did not deliver, a row for each reason.
    func losses() -> [TimelineRow] {
        timeline.reasons.prefix(6).map { reason, count in
            let counts = bins.map { bin in
                (bin.piece.uplink.dropped[reason] ?? 0) + (bin.piece.downlink.dropped[reason] ?? 0)
            }
            let maximum = Double(counts.max() ?? 1)
            var plot = Plot(time, height: 20)
            for (bin, count) in zip(bins, counts) where count > 0 {
                let height = max(18 * Double(count) / maximum, 3)
                let title = "\(count) at \(bin.begin.words)"
                plot.bar("drop", bin.begin, bin.end, top: 20 - height, height: height, title: title)
            }
            let isLeft = reason == .stopped
            let name = isLeft ? "On the link at the end" : "Dropped: \(reason.words)"
            return plot.row(name, [count.of("packet")])
        }
    }

    /// The row of the number of open connections, up to the end of the run; nil if there were none.
    func openConnections() -> TimelineRow? {
        guard let maximum = timeline.openConnections.max(), maximum > 0 else { return nil }
        let counts = timeline.openConnections
        let size = max(counts.count / Self.binLimit, 1)
        let scale = Scale(Double(maximum), count: 2, minimum: 1)
        var columns = counts.indices.parts(of: size).map { indices -> Column in
            let begin = timeline.time(ofPiece: indices.lowerBound)
            let share = scale.share(Double(counts[indices].max() ?? 0))
            return (begin: begin, end: begin + timeline.step * size, share: share)
        }
        columns += timeline.laterOpenings.map { ($0.begin, $0.end, scale.share(Double($0.open))) }
        var plot = Plot(time, height: 48)
        plot.scale(scale.ticks.map { (share: scale.share($0), words: $0.figure) })
        plot.shape("area all", area(columns, in: plot))
        return plot.row("Open connections", ["\(timeline.connectionCount) in all", "\(maximum) at the same time"])
    }

    /// The path of a column for each bin that is not empty.
    private func area(_ columns: [Column], in plot: Plot) -> String {
        let bottom = plot.level(of: 0)
        return columns.filter { $0.share > 0 }.map { column in
            // Small values get a visible height, too.
            let top = min(plot.level(of: column.share), bottom - 1.5)
            let (left, right) = (time.x(column.begin), time.x(column.end))
            return "M\(left) \(bottom.figure)V\(top.figure)H\(right)V\(bottom.figure)Z"
        }.joined()
    }
}
