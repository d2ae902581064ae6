// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

extension PumpLoop {
    /// Replaces the current pipelines, which stay until they are empty.
    mutating func use(_ pipelines: PreparedPipelines) {
        current = (pipelines.take(.uplink), pipelines.take(.downlink), pipelines.take(.dns))
        hasQueryLane = pipelines.hasQueryLane
        for pipeline in [current.0, current.1, current.2] {
            guard let pipeline else { continue }
            lastNumber = Self.number(after: lastNumber) { number in running.contains { $0.pointee.number == number } }
            pipeline.pointee.number = lastNumber
            running.append(pipeline)
        }
        for pipeline in running where !isCurrent(pipeline) { dropBlockedPackets(of: pipeline) }
        removeEmptyPipelines()
    }

    /// The next number for a pipeline that no other has: they wrap around, and an earlier pipeline may hold packets for
    /// long.
    static func number(after last: UInt16, isTaken: (UInt16) -> Bool) -> UInt16 {
        var number = last
        for _ in 1...UInt16.max {
            number = number == .max ? 1 : number + 1
            if !isTaken(number) { break }
        }
        return number
    }

    /// Removes earlier pipelines that are empty.
    mutating func removeEmptyPipelines() {
        let (uplink, downlink, dns) = current
        running.removeAll { pipeline in
            guard pipeline != uplink, pipeline != downlink, pipeline != dns, pipeline.pointee.pipeline.isEmpty else {
                return false
            }
            pipeline.destroy()
            return true
        }
    }

    /// Counts the packets that the pump still holds as dropped, when it ends.
    mutating func dropAllQueued() {
        if watchers.isAny { running.forEach { tellStop(of: $0) } }
        for lane in Lane.allCases {
            counters[lane.rawValue].dropped[Int(DropReason.stopped.rawValue)] += counters[lane.rawValue].queued
            counters[lane.rawValue].queued = 0
        }
    }

    /// Tells that the packets of a pipeline will not depart.
    private mutating func tellStop(of place: UnsafeMutablePointer<RunningPipeline>) {
        let isWhole = !place.pointee.needs.wirePackets
        var held: [(FramePart, copies: Int)] = []
        tags.releaseAll(of: place.pointee.number) { frame, segment, copies in
            let count = isWhole ? frame.record.pointee.segments : 1
            held.append((FramePart(frame: frame, first: segment, count: count), copies))
        }
        let now = lc_monotonic_time()
        for (part, copies) in held {
            for _ in 0..<copies { tellDrop(part, lane: place.pointee.lane, due: now, .stopped) }
        }
    }

    private func isCurrent(_ pipeline: UnsafeMutablePointer<RunningPipeline>) -> Bool {
        pipeline == current.0 || pipeline == current.1 || pipeline == current.2
    }

    /// Drops the packets that an earlier pipeline would hold forever: at a rate of zero without a later step.
    private mutating func dropBlockedPackets(of place: UnsafeMutablePointer<RunningPipeline>) {
        guard place.pointee.next == .max, !place.pointee.pipeline.isEmpty else { return }
        let lane = place.pointee.lane
        let isWhole = !place.pointee.needs.wirePackets
        var ended: [(StoredFrame, Int, Int)] = []
        tags.releaseAll(of: place.pointee.number) { ended.append(($0, $1, $2)) }
        for (frame, segment, copies) in ended {
            counters[lane.rawValue].queued -= UInt64(copies)
            drop(lane, .outage, copies * (isWhole ? frame.record.pointee.segments : 1))
            let part = FramePart(frame: frame, first: segment, count: isWhole ? frame.record.pointee.segments : 1)
            for _ in 0..<copies { tellDrop(part, lane: lane, due: frame.record.pointee.arrival, .outage) }
            release(frame, copies)
        }
        running.removeAll { $0 == place }
        place.destroy()
    }
}
