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
    /// The pipeline's number in the tags of its packets, from 1 on.
    var number: UInt16 = 0
    /// The time of the next departure in nanoseconds; `.max` for none before the next arrival.
    var next = Int64.max
    var run: Run?
    /// The packets of the run, if each gets a record.
    var unreported: [UnreportedPacket] = []

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
        self.lane = lane
        pipeline = LinkPipeline(
            conditions,
            seed: seed,
            lane: UInt64(lane.rawValue),
            start: LinkTime(nanoseconds: start),
            maximumHeld: maximumHeld
        )
    }
}
