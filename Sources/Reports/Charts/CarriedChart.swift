// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
internal import LinkProfiles

/// What a link carried, drawn by time: rates and losses.
struct CarriedChart {
    /// A piece of time that is wide enough to be seen.
    struct Bin {
        var begin: Duration
        var end: Duration
        /// The pieces of the history in it, and their sum.
        var places: Range<Int>
        var piece: LinkHistory.Piece
    }

    typealias Way = KeyPath<LinkHistory.Piece, LinkHistory.Carried>

    /// No more bins than this are drawn.
    private static let binLimit = 240
    /// A shorter time holds too few packets for a rate.
    private static let shortest = Duration.milliseconds(50)
    private static let height = 72.0

    let timeline: RunTimeline
    let time: TimeScale
    let bins: [Bin]

    init(_ timeline: RunTimeline, _ time: TimeScale) {
        (self.timeline, self.time) = (timeline, time)
        bins = Self.bins(timeline, atLeast: .zero)
    }

    private static func bins(_ timeline: RunTimeline, atLeast least: Duration) -> [Bin] {
        let length = timeline.step * timeline.history.pieces.count
        let wanted = max(length / binLimit, shortest, least)
        let size = max(Int((wanted / timeline.step).rounded(.up)), 1)
        return stride(from: 0, to: timeline.history.pieces.count, by: size).map { start in
            let places = start..<min(start + size, timeline.history.pieces.count)
            let begin = timeline.historyBegin + timeline.step * start
            let sum = LinkHistory.Piece(sum: timeline.history.pieces[places])
            return Bin(begin: begin, end: begin + timeline.step * size, places: places, piece: sum)
        }
    }

    /// Bins in which there are some packets, since one packet makes no rate.
    private func rateBins(_ way: Way) -> [Bin] {
        let packets = bins.reduce(0) { $0 + $1.piece[keyPath: way].packets }
        guard packets > 0 else { return bins }
        let length = timeline.step * timeline.history.pieces.count
        return Self.bins(timeline, atLeast: min(length / packets * 4, length / 12))
    }

    /// The rate of one way, and the rate that was asked for.
    func rates(
        _ name: String,
        _ way: Way,
        _ asked: KeyPath<AskedFigures, AskedFigure<BitRate>?>
    ) -> TimelineRow {
        let bins = rateBins(way)
        let limits = timeline.asked(asked)
        let bytes = arrivingBytes(way, limits)
        let rates = bins.map { bin in bytes[bin.places].reduce(0, +) * 8 / ((bin.end - bin.begin) / .seconds(1)) }
        let peak = rates.max() ?? 0
        // A rate far above all that was carried would leave no height for it.
        let shown = limits.filter { Double($0.value.bitsPerSecond) <= max(peak, 1) * 4 }
        let scale = Scale(max(peak, Double(shown.map(\.value.bitsPerSecond).max() ?? 0)), count: 3)
        var plot = Plot(time, height: Self.height)
        drawTicks(scale, in: &plot) { "\($0.prefixed)bit/s" }
        plot.shape(way == \.uplink ? "area uplink" : "area downlink", area(bins, rates, scale))
        for part in shown {
            plot.level("asked", part.begin, part.end, at: place(Double(part.value.bitsPerSecond), scale))
        }
        let total = bins.reduce(0) { $0 + $1.piece[keyPath: way].bytes }
        var facts = ["\(Double(total).prefixed)B", "at most \(peak.prefixed)bit/s"]
        let asked = limits.map(\.value.bitsPerSecond)
        if let least = asked.min(), let most = asked.max() {
            let lower = least < most ? "\(Double(least).prefixed)bit/s to " : ""
            facts.append("asked for \(lower)\(Double(most).prefixed)bit/s")
        }
        return TimelineRow(name, facts, plot.element(label: "\(name): \(facts.joined(separator: ", "))"))
    }

    /// The bytes that came in, in each piece of the history.
    private func arrivingBytes(_ way: Way, _ limits: [AskedFigure<BitRate>.Part]) -> [Double] {
        let delivered = timeline.history.pieces.map { $0[keyPath: way].bytes }
        var coming = limits[...]
        let capacities = delivered.indices.map { place -> Double? in
            let time = timeline.historyBegin + timeline.step * place
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
            let most = Double(counts.max() ?? 1)
            var plot = Plot(time, height: 20)
            for (bin, count) in zip(bins, counts) where count > 0 {
                let height = max(18 * Double(count) / most, 3)
                let title = "\(count) at \(bin.begin.words)"
                plot.bar("drop", bin.begin, bin.end, top: 20 - height, height: height, title: title)
            }
            let isLeft = reason == .stopped
            let name = isLeft ? "On the link at the end" : "Dropped: \(reason.name.words)"
            let facts = [count.of("packet")]
            return TimelineRow(name, facts, plot.element(label: "\(name): \(facts[0])"))
        }
    }

    /// The number of open connections.
    func openConnections() -> TimelineRow? {
        guard let most = timeline.openConnections.max(), most > 0 else { return nil }
        let size = max(timeline.openConnections.count / Self.binLimit, 1)
        let counts = timeline.openConnections
        let peaks = stride(from: 0, to: counts.count, by: size).map { start in
            (begin: start, value: Double(counts[start..<min(start + size, counts.count)].max() ?? 0))
        }
        let scale = Scale(Double(most), count: 2, least: 1)
        var plot = Plot(time, height: 48)
        drawTicks(scale, in: &plot) { $0.figure }
        var path = ""
        for peak in peaks where peak.value > 0 {
            let begin = timeline.historyBegin + timeline.step * peak.begin
            path += column(begin, begin + timeline.step * size, peak.value, scale, height: 48)
        }
        plot.shape("area all", path)
        let facts = ["\(timeline.connectionCount) in all", "\(most) at the same time"]
        return TimelineRow(
            "Open connections",
            facts,
            plot.element(label: "Open connections: \(facts.joined(separator: ", "))")
        )
    }

    private func drawTicks(_ scale: Scale, in plot: inout Plot, _ words: (Double) -> String) {
        for tick in scale.ticks {
            let place = place(tick, scale, height: plot.height)
            plot.level("rule", time.begin, time.end, at: place)
            plot.note(words(tick), base: place + 10)
        }
    }

    private func place(_ value: Double, _ scale: Scale, height: Double = height) -> Double {
        (height - 1) * (1 - min(max(value / scale.top, 0), 1)) + 0.5
    }

    /// A column for each bin with a value.
    private func area(_ bins: [Bin], _ values: [Double], _ scale: Scale) -> String {
        var path = ""
        for (bin, value) in zip(bins, values) where value > 0 {
            path += column(bin.begin, bin.end, value, scale, height: Self.height)
        }
        return path
    }

    private func column(
        _ begin: Duration,
        _ end: Duration,
        _ value: Double,
        _ scale: Scale,
        height: Double
    ) -> String {
        let left = time.percent(begin) * 10
        let right = time.percent(end) * 10
        let bottom = place(0, scale, height: height)
        // A little is to be seen, too.
        let top = min(place(value, scale, height: height), bottom - 1.5)
        return "M\(left.figure) \(bottom.figure)V\(top.figure)H\(right.figure)V\(bottom.figure)Z"
    }
}

extension String {
    /// A reason's name as words: "random loss" of "randomLoss".
    fileprivate var words: String {
        reduce(into: "") { words, letter in
            words += letter.isUppercase ? " " + letter.lowercased() : String(letter)
        }
    }
}

extension LinkHistory.Piece {
    /// Several pieces as one.
    fileprivate init(sum pieces: ArraySlice<LinkHistory.Piece>) {
        self.init()
        for piece in pieces { add(piece) }
    }
}
