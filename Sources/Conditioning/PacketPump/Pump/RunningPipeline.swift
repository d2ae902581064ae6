// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

/// A pipeline in use: the current one of its lane, or an earlier one that still holds packets.
struct RunningPipeline {
    /// Consecutive wire packets of one frame that are due together and are written as one super-packet.
    struct Run {
        var part: FramePart
        var isMarked: Bool
        /// The time at which the run's first packet is due.
        var due: Int64
        /// Whether the run's packets share a record.
        var isOneRecord: Bool
    }

    /// A packet of the run that gets a separate record.
    struct UnreportedPacket {
        var fate: Fate
        var due: Int64
        var bytes: Int
        var isCopy: Bool
    }

    var pipeline: LinkPipeline
    let lane: Lane
    let needs: LaneNeeds
    /// What shares or manages the bottleneck, in words; empty if nothing does.
    let words: [String]
    let seed: UInt64
    /// The pipeline's start, in nanoseconds of the monotonic clock.
    let start: Int64
    /// The pipeline's number in the tags of its packets, from 1 on.
    var number: UInt16 = 0
    /// The time of the next departure in nanoseconds; `.max` for none before the next arrival.
    var next = Int64.max
    var run: Run?
    /// The packets of the run, if each gets a record.
    var unreported: [UnreportedPacket] = []

    /// Where the time of the packets went when it was last added to the counters.
    private var counted = Competition.none

    /// Adds the time of packets on a shared link to the lane's counters.
    mutating func countCompetition(_ counters: UnsafeMutablePointer<LaneCounters>) {
        guard let competition = pipeline.competition, competition != counted else { return }
        func difference(_ figure: KeyPath<Competition, Double>) -> UInt64 {
            UInt64(max(competition[keyPath: figure] - counted[keyPath: figure], 0) * 1e9)
        }
        counters[lane.rawValue].sharedTime &+= difference(\.delay)
        counters[lane.rawValue].timeBehindOthers &+= difference(\.behindOthers)
        counted = competition
    }

    /// Makes a pipeline; nil if the conditions impair nothing.
    ///
    /// - Parameter hasFaults: whether faults may lose some wire packets of a super-packet before the pipeline.
    init?(
        _ conditions: LaneConditions,
        _ lane: Lane,
        seed: UInt64,
        start: Int64,
        maximumHeld: Int,
        hasFaults: Bool
    ) {
        var needs = LaneNeeds(conditions)
        guard needs.wirePackets || needs.memory else { return nil }
        if hasFaults { needs.wirePackets = true }
        self.needs = needs
        (self.lane, self.seed, self.start) = (lane, seed, start)
        pipeline = LinkPipeline(
            conditions,
            seed: seed,
            lane: UInt64(lane.rawValue),
            start: LinkTime(nanoseconds: start),
            maximumHeld: maximumHeld
        )
        let figures = pipeline.isSharedOrManaged ? conditions.base.wordsByKey : []
        words = ["competing", "queue"].compactMap { key in figures.first { $0.key == key }?.words }
    }
}
