// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

extension PumpLoop {
    /// Puts new pipelines in the place of the current ones, which stay until they are empty.
    mutating func use(_ pipelines: PreparedPipelines) {
        current = (pipelines.take(.uplink), pipelines.take(.downlink), pipelines.take(.dns))
        hasQueryLane = pipelines.hasQueryLane
        for pipeline in [current.0, current.1, current.2] {
            guard let pipeline else { continue }
            generation = generation == .max ? 1 : generation + 1
            pipeline.pointee.number = generation
            running.append(pipeline)
        }
        for pipeline in running where !isCurrent(pipeline) { giveUp(pipeline) }
        dismiss()
    }

    /// Lets earlier pipelines go that are empty.
    mutating func dismiss() {
        let (uplink, downlink, dns) = current
        running.removeAll { pipeline in
            guard pipeline != uplink, pipeline != downlink, pipeline != dns, pipeline.pointee.pipeline.isEmpty else {
                return false
            }
            pipeline.destroy()
            return true
        }
    }

    /// Counts what is left when the pump ends.
    mutating func abandon() {
        for lane in Lane.allCases.map(\.rawValue) {
            counters[lane].dropped[Int(PumpDrop.stopped.rawValue)] += counters[lane].queued
            counters[lane].queued = 0
        }
    }

    private func isCurrent(_ pipeline: UnsafeMutablePointer<RunningPipeline>) -> Bool {
        pipeline == current.0 || pipeline == current.1 || pipeline == current.2
    }

    /// Drops what an earlier pipeline holds for ever: behind a rate of zero to which no step follows.
    private mutating func giveUp(_ place: UnsafeMutablePointer<RunningPipeline>) {
        guard place.pointee.next == .max, !place.pointee.pipeline.isEmpty else { return }
        let lane = place.pointee.lane
        let isWhole = !place.pointee.needs.wirePackets
        var ended: [(StoredFrame, Int, Int)] = []
        slots.releaseAll(of: place.pointee.number) { ended.append(($0, $1, $2)) }
        for (frame, segment, copies) in ended {
            counters[lane].queued -= UInt64(copies)
            drop(lane, .outage, copies * (isWhole ? frame.record.pointee.segments : 1))
            logDrop(frame, segment, lane, frame.record.pointee.arrival, .outage)
            release(frame, copies)
        }
        running.removeAll { $0 == place }
        place.destroy()
    }
}
