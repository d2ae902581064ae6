// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

extension PumpLoop {
    /// Replaces the faults and the current pipelines; the old pipelines stay until they are empty.
    mutating func use(_ prepared: PreparedPipelines) {
        pipelines.use(prepared)
        let earlier = faults
        // The new faults know no connection yet.
        faults = prepared.faults
        hits.use(prepared, after: HitCounter.Arrivals(counters))
        for pipeline in pipelines.all where !pipelines.isCurrent(pipeline) { dropBlockedPackets(of: pipeline) }
        pipelines.removeEmpty()
        // Before the packets that new faults make at once.
        recordLanes()
        startFaults(after: earlier)
    }

    /// Records what decides about the packets of each lane, so that the capture's reader can compute it again.
    func recordLanes() {
        guard let recorder = watchers.capture else { return }
        let now = lc_monotonic_time()
        for lane in Lane.allCases {
            guard let pipeline = pipelines[lane] else {
                recorder.describe(lane, [], seed: 0, start: now, at: now)
                continue
            }
            let (words, seed, start) = (pipeline.pointee.words, pipeline.pointee.seed, pipeline.pointee.start)
            recorder.describe(lane, words, seed: seed, start: start, at: now)
        }
    }

    /// Counts the packets that the pump still holds as dropped, when it ends.
    mutating func dropAllQueued() {
        if watchers.isAny {
            let now = lc_monotonic_time()
            for pipeline in pipelines.all {
                for (part, isCopy) in tags.releaseAll(of: pipeline) {
                    recordDrop(part, .stopped, pipeline.pointee.lane, due: now, isCopy: isCopy)
                }
            }
        }
        for lane in Lane.allCases {
            counters[lane.rawValue].dropped[DropReason.stopped.counter] += counters[lane.rawValue].queued
            counters[lane.rawValue].queued = 0
        }
    }

    /// Drops the packets that an earlier pipeline would hold forever: at a rate of zero without a later step.
    private mutating func dropBlockedPackets(of pipeline: UnsafeMutablePointer<RunningPipeline>) {
        guard pipeline.pointee.next == .max, !pipeline.pointee.pipeline.isEmpty else { return }
        dropPackets(of: pipeline, .outage)
    }

    /// Delivers due packets, then drops those that earlier pipelines still hold.
    mutating func dropQueuedPackets() {
        deliverDue()
        let now = lc_monotonic_time()
        for pipeline in pipelines.all where !pipelines.isCurrent(pipeline) {
            dropPackets(of: pipeline, .step, due: now)
        }
    }

    /// Drops the packets of an earlier pipeline and removes it.
    ///
    /// - Parameter due: the time of the drop in records; nil for each packet's time of arrival.
    private mutating func dropPackets(
        of pipeline: UnsafeMutablePointer<RunningPipeline>,
        _ reason: DropReason,
        due: Int64? = nil
    ) {
        let lane = pipeline.pointee.lane
        for (part, isCopy) in tags.releaseAll(of: pipeline) {
            counters[lane.rawValue].queued -= 1
            drop(part, reason, lane, due: due ?? part.frame.record.pointee.arrival, isCopy: isCopy)
            release(part.frame, 1)
        }
        pipelines.remove(pipeline)
    }
}
