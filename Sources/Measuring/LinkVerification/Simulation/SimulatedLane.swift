// SPDX-License-Identifier: Apache-2.0

package import LinkEmulation
package import LinkProfiles

/// The effect of a lane's pipeline on a list of packets, computed without a link and without waiting.
package struct SimulatedLane: Sendable {
    package let lane: Lane
    /// The packets that arrive at the lane, with times in nanoseconds since the first packet of any lane.
    package let arrivals: [LinkPipeline.Arrival]
    /// The number of packets dropped for each reason, the most frequent reason first.
    package private(set) var drops: [(reason: DropReason, packets: Int)] = []
    package private(set) var duplicates = 0
    package private(set) var damaged = 0
    package private(set) var marked = 0
    /// The number of packets that left after a packet that had arrived later.
    package private(set) var overtaken = 0
    /// The delay of each packet that left the lane, in milliseconds, in the order of leaving.
    package private(set) var delays: [Double] = []
    /// The time at which each packet left, in nanoseconds, with its size.
    package private(set) var departures: [(time: Int64, bytes: Int)] = []
    /// The number of packets that are held for ever, because the rate stays zero.
    package private(set) var held = 0
    /// Where the time of the packets went; nil for a link that nobody else uses.
    package private(set) var competition: Competition?

    /// Runs the packets, which must be in the order of their times, through the lane.
    package init(
        _ profile: Profile,
        _ lane: Lane,
        traces: [TraceReference: Trace] = [:],
        _ arrivals: [LinkPipeline.Arrival],
        seed: UInt64
    ) {
        (self.lane, self.arrivals) = (lane, arrivals)
        let conditions = LaneConditions(profile, lane, traces: traces)
        let start = LinkTime(nanoseconds: 0)
        var pipeline = LinkPipeline(conditions, seed: seed, lane: UInt64(lane.rawValue), start: start)
        var counts: [DropReason: Int] = [:]
        var latest: UInt32?
        var ended = 0
        pipeline.simulate(arrivals) { departure in
            if departure.copy == 0 { ended += 1 }
            if let reason = departure.drop { return counts[reason, default: 0] += 1 }
            if departure.copy > 0 { return duplicates += 1 }
            let arrival = arrivals[Int(departure.tag)]
            delays.append(Double(departure.due.nanoseconds - arrival.time.nanoseconds) / 1e6)
            departures.append((departure.due.nanoseconds, arrival.frameBytes))
            if departure.corruptedBit != nil { damaged += 1 }
            if departure.isMarked { marked += 1 }
            if let latest, departure.tag < latest { overtaken += 1 }
            latest = max(latest ?? 0, departure.tag)
        }
        competition = pipeline.competition
        held = arrivals.count - ended
        drops = counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }
    }

    package var lost: Int { drops.reduce(0) { $0 + $1.packets } }

    /// When the last packet left or arrived, in nanoseconds.
    package var end: Int64 { max(departures.map(\.time).max() ?? 0, arrivals.last?.time.nanoseconds ?? 0) }

    /// Bits per second that arrive at the lane and that leave it, in each of `count` equal parts of the time until
    /// `end`.
    package func rates(_ count: Int, until end: Int64) -> (arriving: [Double], coming: [Double]) {
        guard count > 0, end > 0 else { return ([], []) }
        var rates = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
        let scale = 8 * Double(count) / (Double(end) / 1e9)
        func place(_ time: Int64) -> Int { min(Int(Double(time) / Double(end) * Double(count)), count - 1) }
        for arrival in arrivals { rates.0[place(arrival.time.nanoseconds)] += Double(arrival.frameBytes) * scale }
        for departure in departures { rates.1[place(departure.time)] += Double(departure.bytes) * scale }
        return rates
    }

    /// The mean delay of the packets that leave in each of `count` equal parts of the time until `end`, in
    /// milliseconds; 0 if none does.
    package func delays(_ count: Int, until end: Int64) -> [Double] {
        guard count > 0, end > 0 else { return [] }
        var sums = [(sum: Double, count: Int)](repeating: (0, 0), count: count)
        for (delay, departure) in zip(delays, departures) {
            let place = min(Int(Double(departure.time) / Double(end) * Double(count)), count - 1)
            sums[place] = (sums[place].sum + delay, sums[place].count + 1)
        }
        return sums.map { $0.count > 0 ? $0.sum / Double($0.count) : 0 }
    }
}
