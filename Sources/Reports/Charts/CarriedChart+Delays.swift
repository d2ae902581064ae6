// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation

extension CarriedChart {
    private static var ways: [(name: String, kind: String, way: Way)] {
        [("to the server", "band uplink", \.uplink), ("to the client", "band downlink", \.downlink)]
    }
    private static let delayHeight = 96.0
    /// The line of the round trips goes on where so many pieces of time are between two.
    private static let longestGap = 4

    /// The delay that the link gave, from the shortest to the longest of a moment; the round trips of established
    /// connections as the client saw them; and those of handshakes.
    func delays() -> TimelineRow? {
        let longest = Self.ways.flatMap { way in bins.compactMap { $0.piece[keyPath: way.way].mostDelay } }.max()
        let handshakes = timeline.connections.compactMap(\.handshake)
        let trips = timeline.roundTrips
        let most = [longest, trips.most, handshakes.map(\.length).max()].compactMap { $0 }.max()
        guard let most, most > .zero else { return nil }
        let scale = Scale(most / .seconds(1), count: 3)
        var plot = Plot(time, height: Self.delayHeight)
        drawTicks(scale, in: &plot) { Duration.seconds($0).reading }
        for (_, kind, way) in Self.ways {
            let carried = bins.map { $0.piece[keyPath: way] }
            let bounds = carried.map { Self.bounds($0.leastDelay, $0.mostDelay) }
            plot.shape(kind, area(bins, bounds, scale, Self.delayHeight))
        }
        let bounds = bins.map { Self.bounds($0.piece.roundTrips.least, $0.piece.roundTrips.most) }
        plot.shape("spread", area(bins, bounds, scale, Self.delayHeight))
        let line = medians(scale)
        for kind in ["median edge", "median"] { plot.shape(kind, line) }
        for handshake in handshakes {
            plot.sign(
                "trip",
                "○",
                handshake.at,
                base: place(handshake.length / .seconds(1), scale, height: Self.delayHeight) + 4,
                title: "handshake: \(handshake.length.reading)"
            )
        }
        let facts = delayFacts(trips, handshakes.map(\.length))
        return TimelineRow("Delay", facts, plot.element(label: "Delay: \(facts.joined(separator: ", "))"))
    }

    private func delayFacts(_ trips: RoundTrips, _ handshakes: [Duration]) -> [String] {
        var facts = Self.ways.compactMap { way -> String? in
            let delays = bins.map { $0.piece[keyPath: way.way] }
            guard let least = delays.compactMap(\.leastDelay).min(), let most = delays.compactMap(\.mostDelay).max()
            else { return nil }
            return "\(way.name) \(least.reading) to \(most.reading)"
        }
        if let words = trips.words { facts.append("round trips (━) \(words)") }
        if let least = handshakes.min(), let most = handshakes.max() {
            facts.append("handshakes (○) \(least.reading) to \(most.reading)")
        }
        return facts
    }

    private static func bounds(_ least: Duration?, _ most: Duration?) -> (lower: Double, upper: Double)? {
        guard let least, let most else { return nil }
        return (least / .seconds(1), most / .seconds(1))
    }

    /// A line through the medians; a dot for one that stands alone.
    private func medians(_ scale: Scale) -> String {
        var path = ""
        var last: Int?
        for (number, bin) in bins.enumerated() {
            guard let median = bin.piece.roundTrips.median else { continue }
            let isNear = last.map { number - $0 <= Self.longestGap } ?? false
            let x = (time.percent(bin.begin) + time.percent(bin.end)) * 5
            let y = place(median / .seconds(1), scale, height: Self.delayHeight)
            path += "\(isNear ? "L" : "M")\(x.figure) \(y.figure)h.01"
            last = number
        }
        return path
    }
}

extension ConnectionLine {
    /// When its handshake was complete and how long it took; nil for a connection that was never accepted.
    fileprivate var handshake: (at: Duration, length: Duration)? {
        guard let accepted, let asked = attempts.last(where: { $0 <= accepted }) else { return nil }
        return (accepted, accepted - asked)
    }
}

extension RoundTrips {
    /// "81.2 ms to 430 ms, median 210 ms"; nil if there is none.
    var words: String? {
        guard let least, let median, let most else { return nil }
        guard count > 1 else { return least.reading }
        // To as many digits as are known, unless that would put it beside the others.
        let step = Duration.seconds(Scale.round(median / .seconds(100)))
        let rounded = Duration.seconds((median / step).rounded() * (step / .seconds(1)))
        let middle = (least...most).contains(rounded) ? rounded : median
        return "\(least.reading) to \(most.reading), median \(middle.reading)"
    }
}
