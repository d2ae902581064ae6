// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

/// A pipeline in use: the current one of its lane, or an earlier one that still holds packets.
struct RunningPipeline {
    /// Consecutive wire packets of one frame that are due together and are written as one super-packet.
    struct Run {
        var part: FramePart
        var isMarked: Bool
        /// The time at which the first is due.
        var due: Int64
        /// Whether its packets share a record.
        var isOneRecord: Bool
    }

    /// A packet of the run that has a record of its own.
    struct Untold {
        var fate: Fate
        var due: Int64
        var bytes: Int
        var isCopy: Bool
    }

    var pipeline: LinkPipeline
    let lane: Lane
    let needs: LaneNeeds
    /// The number in its packets' tags, from 1 on.
    var number: UInt16 = 0
    /// The time of its next departure in nanoseconds; `.max` for none before the next arrival.
    var next = Int64.max
    var run: Run?
    /// The packets of the run, if something is told of each.
    var untold: [Untold] = []

    /// Makes a pipeline; nil if the conditions impair nothing.
    ///
    /// - Parameter hasFaults: whether some wire packets of a super-packet may be lost before it.
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
