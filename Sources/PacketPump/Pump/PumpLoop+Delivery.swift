// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

extension PumpLoop {
    /// Delivers or drops the packets of all pipelines that are due, in the order of time.
    mutating func deliverDue() {
        guard !running.isEmpty else { return }
        let now = lc_monotonic_time()
        var isOver = false
        while true {
            var first = Int64.max
            var second = Int64.max
            var earliest: UnsafeMutablePointer<RunningPipeline>?
            for pipeline in running {
                let next = pipeline.pointee.next
                if next < first {
                    second = first
                    first = next
                    earliest = pipeline
                } else if next < second {
                    second = next
                }
            }
            guard let earliest, first <= now else { break }
            process(earliest, upTo: min(second, now))
            isOver = isOver || running.count > 3 || earliest.pointee.pipeline.isEmpty
        }
        for pipeline in running { deliverRun(of: pipeline) }
        if isOver, running.count > 0 { removeEmptyPipelines() }
    }

    /// Delivers or drops the packets of one pipeline that are due.
    mutating func deliverDue(of place: UnsafeMutablePointer<RunningPipeline>, upTo limit: Int64) {
        process(place, upTo: limit)
        deliverRun(of: place)
    }

    private mutating func process(_ place: UnsafeMutablePointer<RunningPipeline>, upTo limit: Int64) {
        let time = LinkTime(nanoseconds: limit)
        while let departure = place.pointee.pipeline.popDeparture(upTo: time) { process(departure, of: place) }
        let next = place.pointee.pipeline.nextDeparture?.nanoseconds ?? .max
        // A departure that is due but was not returned is requested again later, not in an endless loop.
        place.pointee.next = next <= limit ? limit + 1 : next
    }

    @inline(__always)
    private mutating func process(_ departure: Departure, of place: UnsafeMutablePointer<RunningPipeline>) {
        let (frame, segment) = tags.resolve(departure.tag)
        let lane = place.pointee.lane
        counters[lane.rawValue].queued &-= 1
        let isWhole = !place.pointee.needs.wirePackets
        let count = isWhole ? frame.record.pointee.segments : 1
        let bytes = isWhole ? frame.wireBytes : frame.countedBytes(segment)
        let part = FramePart(frame: frame, first: segment, count: count)
        if let reason = departure.drop {
            drop(lane, reason, count)
            tellDrop(part, lane: lane, due: departure.due.nanoseconds, reason)
            release(frame, 1)
            return
        }
        counters[lane.rawValue].left &+= UInt64(count)
        counters[lane.rawValue].leftBytes &+= UInt64(bytes)
        if departure.isMarked { counters[lane.rawValue].marked &+= 1 }
        // Where packets come too fast, those that are delivered together share a record.
        let isLate = isCrowded && departure.corruptedBit == nil && departure.copy == 0
        if watchers.isAny, !isLate { tellDelivery(departure, part, bytes: bytes, lane: lane) }
        if let bit = departure.corruptedBit {
            counters[lane.rawValue].corrupted &+= 1
            deliverRun(of: place)
            let changes = FrameWriter.Changes(isMarked: departure.isMarked, flippedBit: bit)
            deliver(frame, first: segment, count: 1, changes, lane: lane, references: 1)
            return
        }
        if let run = place.pointee.run, run.frame.start == frame.start, run.first &+ run.count == segment,
            run.isMarked == departure.isMarked, run.isRecordedLate == isLate
        {
            place.pointee.run?.count &+= 1
            return
        }
        deliverRun(of: place)
        place.pointee.run = RunningPipeline.Run(
            frame: frame,
            first: segment,
            count: count,
            isMarked: departure.isMarked,
            due: departure.due.nanoseconds,
            isRecordedLate: isLate
        )
    }

    /// Delivers the collected run, if there is one.
    @inline(__always) mutating func deliverRun(of place: UnsafeMutablePointer<RunningPipeline>) {
        guard let run = place.pointee.run else { return }
        place.pointee.run = nil
        if run.isRecordedLate { tellDelivery(of: run, lane: place.pointee.lane) }
        deliver(
            run.frame,
            first: run.first,
            count: run.count,
            FrameWriter.Changes(isMarked: run.isMarked),
            lane: place.pointee.lane,
            references: place.pointee.needs.wirePackets ? run.count : 1
        )
    }

    private mutating func deliver(
        _ frame: StoredFrame,
        first: Int,
        count: Int,
        _ changes: FrameWriter.Changes,
        lane: Lane,
        references: Int
    ) {
        counters[lane.rawValue].writes &+= 1
        if !write(frame, first: first, count: count, changes) {
            counters[lane.rawValue].left &-= UInt64(count)
            for segment in first..<first &+ count {
                counters[lane.rawValue].leftBytes &-= UInt64(frame.countedBytes(segment))
            }
            drop(lane, .refused, count)
        }
        release(frame, references)
    }

    /// Writes wire packets of a frame to the device that it came from; false if write(2) fails.
    @inline(__always)
    func write(_ frame: StoredFrame, first: Int, count: Int, _ changes: FrameWriter.Changes) -> Bool {
        let descriptor = inputs[frame.record.pointee.input].descriptor
        let (head, tail) = writer.parts(of: frame, first: first, count: count, changes)
        return lc_write_two(descriptor, head.baseAddress, UInt(head.count), tail.baseAddress, UInt(tail.count)) > 0
    }
}
