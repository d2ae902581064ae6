// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

/// A pipeline in use: the current one of its lane, or an earlier one that still holds packets.
struct RunningPipeline {
    /// Consecutive wire packets of one frame that are due together and are written as one super-packet.
    struct Run {
        var frame: StoredFrame
        var first: Int
        var count: Int
        var isMarked: Bool
        /// When the first is due.
        var due: Int64
        /// Whether its packets are recorded together, when it is delivered.
        var isRecordedLate: Bool
    }

    var pipeline: LinkPipeline
    let lane: Lane
    let needs: LaneNeeds
    /// The number in its packets' tags, from 1 on.
    var number: UInt16 = 0
    /// The time of its next departure in nanoseconds; `.max` for none before the next arrival.
    var next = Int64.max
    var run: Run?

    /// Makes a pipeline; nil if the conditions impair nothing.
    init?(_ conditions: LaneConditions, _ lane: Lane, seed: UInt64, start: Int64, maximumHeld: Int) {
        needs = LaneNeeds(conditions)
        guard needs.wirePackets || needs.memory else { return nil }
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

/// Pipelines for new conditions. They are made on the caller's thread, because recordings may be long.
final class PreparedPipelines: @unchecked Sendable {
    private var places: [UnsafeMutablePointer<RunningPipeline>?]
    /// Whether DNS queries have a lane, even one without impairments.
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

    /// Returns the lane's pipeline; the caller owns it.
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
