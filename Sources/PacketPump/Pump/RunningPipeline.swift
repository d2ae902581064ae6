// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

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
    /// By which its packets' tags are found; from 1 on.
    var number: UInt16 = 0
    /// When to ask it again, in nanoseconds; `.max` for not before something arrives.
    var next = Int64.max
    var run: Run?

    /// Nil for conditions that change nothing: their packets need no pipeline.
    init?(_ conditions: LaneConditions, _ lane: Lane, seed: UInt64, start: Int64, maximumHeld: Int) {
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

/// Pipelines for new conditions, made on the thread that asks for them: recordings may be long.
final class PreparedPipelines: @unchecked Sendable {
    private var places: [UnsafeMutablePointer<RunningPipeline>?]
    /// Whether queries have conditions of their own, be it that they pass at once.
    let hasQueryLane: Bool

    init(_ conditions: PumpConditions, _ configuration: PumpConfiguration) {
        let now = lc_monotonic_time()
        hasQueryLane = conditions.dns != nil
        places = Lane.allCases.map { lane in
            guard let figures = conditions[lane],
                let pipeline = RunningPipeline(
                    figures,
                    lane,
                    seed: conditions.seed,
                    start: now,
                    maximumHeld: configuration.maximumHeld
                )
            else { return nil }
            let place = UnsafeMutablePointer<RunningPipeline>.allocate(capacity: 1)
            place.initialize(to: pipeline)
            return place
        }
    }

    deinit { for place in places { place?.destroy() } }

    /// Hands over the lane's pipeline, with which the taker does what it wants.
    func take(_ lane: Lane) -> UnsafeMutablePointer<RunningPipeline>? {
        defer { places[lane.rawValue] = nil }
        return places[lane.rawValue]
    }
}

extension UnsafeMutablePointer<RunningPipeline> {
    func destroy() {
        deinitialize(count: 1)
        deallocate()
    }
}
