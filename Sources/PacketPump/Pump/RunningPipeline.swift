// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation

/// A pipeline at work: the current one of its lane, or an earlier one that keeps its promises.
struct RunningPipeline {
    /// Wire packets that follow each other in one frame and leave together, so that they can be written as one.
    struct Run {
        var frame: StoredFrame
        var first: Int
        var count: Int
        var isMarked: Bool
    }

    var pipeline: LinkPipeline
    let lane: Int
    let needs: LaneNeeds
    /// When to ask it again, in nanoseconds; `.max` for not before something arrives.
    var next = Int64.max
    var run: Run?

    /// Nil for conditions that change nothing: their packets need no pipeline.
    init?(_ conditions: LaneConditions, _ lane: PumpLane, seed: UInt64, start: Int64, maximumHeld: Int) {
        needs = LaneNeeds(conditions)
        guard needs.wirePackets || needs.memory else { return nil }
        self.lane = lane.rawValue
        pipeline = LinkPipeline(
            conditions,
            seed: seed,
            lane: UInt64(lane.rawValue),
            start: LinkTime(nanoseconds: start),
            maximumHeld: maximumHeld
        )
    }
}
