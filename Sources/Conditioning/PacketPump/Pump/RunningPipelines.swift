// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles
internal import PacketFaults

/// The pipelines in use: the current one of each lane, and earlier ones that still hold packets.
struct RunningPipelines: ~Copyable {
    private(set) var all: [UnsafeMutablePointer<RunningPipeline>] = []
    /// The current pipelines by lane; nil for a lane without impairments.
    private var current = InlineArray<3, UnsafeMutablePointer<RunningPipeline>?>(repeating: nil)
    /// Whether DNS queries have a lane, even one without impairments.
    private(set) var hasQueryLane = false
    /// Whether others use a link of these.
    private(set) var areShared = false
    /// The number of the latest pipeline.
    private var lastNumber: UInt16 = 0

    deinit { for pipeline in all { pipeline.destroy() } }

    @inline(__always) subscript(lane: Lane) -> UnsafeMutablePointer<RunningPipeline>? { current[lane.rawValue] }

    /// The time of the next departure from any pipeline; `.max` for none.
    var next: Int64 {
        var next = Int64.max
        for pipeline in all { next = min(next, pipeline.pointee.next) }
        return next
    }

    /// Adds the time of packets on shared links to the counters of the lanes.
    func countCompetition(_ counters: UnsafeMutablePointer<LaneCounters>) {
        for pipeline in all { pipeline.pointee.countCompetition(counters) }
    }

    /// Replaces the current pipelines; the old ones stay until they are empty.
    mutating func use(_ prepared: PreparedPipelines) {
        let pipelines = prepared.handOver()
        current = InlineArray { pipelines[$0] }
        hasQueryLane = prepared.hasQueryLane
        for pipeline in pipelines.compactMap(\.self) {
            lastNumber = Self.number(after: lastNumber) { number in all.contains { $0.pointee.number == number } }
            precondition(lastNumber != 0 && !all.contains { $0.pointee.number == lastNumber }, "two have one number")
            pipeline.pointee.number = lastNumber
            all.append(pipeline)
        }
        areShared = all.contains { $0.pointee.pipeline.competition != nil }
    }

    /// The next pipeline number that is not taken: numbers wrap around, and an earlier pipeline may hold packets for a
    /// long time.
    static func number(after last: UInt16, isTaken: (UInt16) -> Bool) -> UInt16 {
        var number = last
        for _ in 1...UInt16.max {
            number = number == .max ? 1 : number + 1
            if !isTaken(number) { break }
        }
        return number
    }

    func isCurrent(_ pipeline: UnsafeMutablePointer<RunningPipeline>) -> Bool {
        pipeline == current[0] || pipeline == current[1] || pipeline == current[2]
    }

    mutating func remove(_ pipeline: UnsafeMutablePointer<RunningPipeline>) {
        let before = all.count
        all.removeAll { $0 == pipeline }
        precondition(all.count == before - 1, "a pipeline is removed twice")
        precondition(!isCurrent(pipeline), "a pipeline in use is removed")
        pipeline.destroy()
    }

    /// Removes earlier pipelines that are empty.
    mutating func removeEmpty() {
        for pipeline in all where !isCurrent(pipeline) && pipeline.pointee.pipeline.isEmpty { remove(pipeline) }
    }
}

/// Pipelines for new conditions. They are made on the caller's thread, because recordings may be long.
///
/// Unchecked: the caller's thread hands them to the pump's thread once they are made.
final class PreparedPipelines: @unchecked Sendable {
    private var pipelines: [UnsafeMutablePointer<RunningPipeline>?]
    /// Whether DNS queries have a lane, even one without impairments.
    let hasQueryLane: Bool
    /// The faults; nil for none.
    let faults: PacketFaults?
    /// The changes of the figures, from `start` on; nil if there are none.
    let schedule: Schedule?
    let start: Int64

    init(_ conditions: PumpConditions, _ configuration: PumpConfiguration) {
        let now = lc_monotonic_time()
        (schedule, start) = (conditions.schedule, now)
        hasQueryLane = conditions.dns != nil
        faults = PacketFaults(conditions.faults, seed: conditions.seed)
        pipelines = Lane.allCases.map { lane in
            guard let figures = conditions[lane],
                let pipeline = RunningPipeline(
                    figures,
                    lane,
                    seed: conditions.seed,
                    start: now,
                    maximumHeld: configuration.maximumHeld,
                    hasFaults: !conditions.faults.isEmpty
                )
            else { return nil }
            let pointer = UnsafeMutablePointer<RunningPipeline>.allocate(capacity: 1)
            pointer.initialize(to: pipeline)
            return pointer
        }
    }

    deinit { for pipeline in pipelines { pipeline?.destroy() } }

    /// Returns the pipelines by lane; the caller owns them.
    func handOver() -> [UnsafeMutablePointer<RunningPipeline>?] {
        precondition(pipelines.count == Lane.allCases.count, "pipelines are handed over twice")
        defer { pipelines = [] }
        return pipelines
    }
}

extension UnsafeMutablePointer<RunningPipeline> {
    fileprivate func destroy() {
        deinitialize(count: 1)
        deallocate()
    }
}
