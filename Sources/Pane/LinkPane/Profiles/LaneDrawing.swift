// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import LinkVerification

/// The drawing of one direction: what the model's pipeline does to generated packets.
///
/// Two runs with the same seed: 1,000 small packets that meet no queue of their own making, for the delays and the
/// losses; and full packets at 4/3 of the highest rate, for the rate and the delay under load, as `simulate` sends them.
struct LaneDrawing {
    /// The time that the drawing covers, in seconds.
    let seconds: Double
    /// The bits per second that leave the loaded lane, in equal parts of the time; empty without a limit.
    let rate: [Double]
    /// The mean delay of the packets that leave the loaded lane, in milliseconds, in the same parts; 0 where none does.
    let loadedDelay: [Double]
    /// The small packets in the order of their arrival.
    let dots: [Dot]
    let histogram: Histogram

    struct Dot: Equatable {
        /// The time of arrival, in milliseconds.
        let time: Double
        /// The delay in milliseconds; nil for a packet that never leaves.
        var delay: Double?
        /// The reason why it never leaves.
        var reason: String?
    }

    /// Numbers of packets by their delay, in milliseconds.
    struct Histogram: Equatable {
        /// The bounds of the bins, one more than bins; empty if no packet leaves.
        var edges: [Double] = []
        var counts: [Int] = []
    }

    /// The number of small packets.
    static let dotCount = 1000
    /// The number of equal parts of the time.
    static let steps = 100
    private static let bins = 40
    /// A drawing does not change while the figures stay the same.
    static let seed: UInt64 = 1

    /// The time to draw: one repetition of what changes, or else 10 s; on a slow link more, so that 1,000 pings leave
    /// most of it free. 60 s at most.
    static func seconds(_ profile: Profile, _ recordings: Recordings) -> Double {
        let lanes = [Lane.downlink, .uplink]
        let lengths = lanes.compactMap { LinkTimeline(profile, $0, recordings)?.length }
        if let longest = lengths.max() { return min(max(longest, 1), 60) }
        let rates = lanes.compactMap { profile.impairments(of: $0)?.rate }
        let pings = rates.min().map { $0.time(forBytes: Double(dotCount * LinkEstimate.pingBytes)) / .seconds(1) }
        return min(max((pings ?? 0) / dotShare, 10), 60)
    }

    /// The largest share of the rate that the small packets take.
    private static let dotShare = 0.25

    init(_ profile: Profile, _ lane: Lane, _ recordings: Recordings) {
        seconds = Self.seconds(profile, recordings)
        let conditions = LaneConditions(profile, lane, traces: recordings)
        let highest = Self.highestRate(conditions, LinkTimeline(profile, lane, recordings))
        dots = Self.dots(conditions, lane, highest, seconds)
        histogram = Histogram(dots.compactMap(\.delay), bins: Self.bins)
        guard let highest else {
            (rate, loadedDelay) = ([], [])
            return
        }
        let load = SimulatedLane(
            profile,
            lane,
            traces: recordings,
            Self.load(conditions, highest, seconds),
            seed: Self.seed
        )
        rate = Self.rates(load, conditions, seconds)
        loadedDelay = load.delays(Self.steps, until: Int64(seconds * 1e9))
    }

    /// The highest rate at any time, in bits per second; nil if the lane is without a limit all the time.
    private static func highestRate(_ conditions: LaneConditions, _ timeline: LinkTimeline?) -> Double? {
        let rates = conditions.intervals.compactMap { $0.impairments.rate.map { Double($0.bitsPerSecond) } }
        let recorded = timeline?.rates(steps).filter(\.isFinite) ?? []
        return (rates + recorded).max().flatMap { $0 > 0 ? $0 : nil }
    }

    /// The bits per second on the wire in each part of the time. A packet counts for the time that it occupies the
    /// bottleneck, since on a slow link a packet takes longer than a part.
    private static func rates(_ load: SimulatedLane, _ conditions: LaneConditions, _ seconds: Double) -> [Double] {
        var bits = [Double](repeating: 0, count: steps)
        let width = seconds / Double(steps)
        for departure in load.departures {
            let end = Double(departure.time) / 1e9
            let size = Double(departure.bytes) * 8
            let rate = conditions.rate(at: departure.time)
            let start = max(end - (rate.map { size / $0 } ?? 0), 0)
            let parts = (Int(start / width)...Int(end / width)).clamped(to: 0...steps)
            for part in parts where part < steps {
                let from = max(start, Double(part) * width)
                let share = end > start ? (min(end, Double(part + 1) * width) - from) / (end - start) : 1
                bits[part] += size * max(share, 0)
            }
        }
        return bits.map { $0 / width }
    }

    private static func dots(
        _ conditions: LaneConditions,
        _ lane: Lane,
        _ rate: Double?,
        _ seconds: Double
    ) -> [Dot] {
        // On a slow link, packets as large as a ping would fill the queue.
        let room = rate.map { Int(min($0 * dotShare * seconds / 8 / Double(dotCount), 1e6)) } ?? .max
        let frame = min(max(room, 1), LinkEstimate.pingBytes)
        let gap = seconds * 1e9 / Double(dotCount)
        let arrivals = (0..<dotCount).map { number in
            LinkPipeline.Arrival(time: LinkTime(nanoseconds: Int64(Double(number) * gap)), frameBytes: frame)
        }
        var dots = arrivals.map { Dot(time: Double($0.time.nanoseconds) / 1e6, reason: "held back") }
        let start = LinkTime(nanoseconds: 0)
        var pipeline = LinkPipeline(conditions, seed: seed, lane: UInt64(lane.rawValue), start: start)
        pipeline.simulate(arrivals) { departure in
            guard departure.copy == 0 else { return }
            let index = Int(departure.tag)
            if let drop = departure.drop { return dots[index].reason = drop.words }
            let delay = Double(departure.due.nanoseconds - arrivals[index].time.nanoseconds) / 1e6
            (dots[index].delay, dots[index].reason) = (delay, nil)
        }
        return dots
    }

    /// The packets of a full load. Above `maximumLoad` packets they are larger, since the drawing may not take long.
    private static func load(
        _ conditions: LaneConditions,
        _ rate: Double,
        _ seconds: Double
    ) -> [LinkPipeline.Arrival] {
        let bytes = rate / 8 * 4 / 3 * seconds
        let count = min(max(Int(bytes / Double(Frame.fullSizeBytes)), 1), maximumLoad)
        let frame = max(Int(bytes / Double(count)), Frame.fullSizeBytes)
        let gap = seconds * 1e9 / Double(count)
        return (0..<count).map { number in
            LinkPipeline.Arrival(time: LinkTime(nanoseconds: Int64(Double(number) * gap)), frameBytes: frame)
        }
    }

    private static let maximumLoad = 8000
}

extension LaneConditions {
    /// The rate at a time in nanoseconds; nil without a constant rate, or with one of zero.
    fileprivate func rate(at time: Int64) -> Double? {
        let intervals = intervals
        let last = intervals.last?.start ?? 0
        let offset = period.flatMap { $0.nanoseconds > last ? time % $0.nanoseconds : nil } ?? time
        let figures = intervals.last { $0.start <= offset }?.impairments ?? base
        return figures.rate.flatMap { $0.isZero ? nil : Double($0.bitsPerSecond) }
    }
}

extension LaneDrawing.Histogram {
    /// Counts delays in bins of equal width, from the shortest to the longest.
    init(_ delays: [Double], bins: Int) {
        guard let shortest = delays.min(), let longest = delays.max() else { return }
        // Delays that are equal but for rounding are one bin.
        guard longest - shortest > 0.001 else {
            (edges, counts) = ([shortest, longest], [delays.count])
            return
        }
        let width = (longest - shortest) / Double(bins)
        edges = (0...bins).map { shortest + Double($0) * width }
        counts = [Int](repeating: 0, count: bins)
        for delay in delays { counts[min(Int((delay - shortest) / width), bins - 1)] += 1 }
    }
}
