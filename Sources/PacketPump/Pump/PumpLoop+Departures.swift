// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation

extension PumpLoop {
    /// Writes back what is due, of all pipelines in the order of time.
    mutating func depart() {
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
            pop(earliest, upTo: min(second, now), now)
            isOver = isOver || running.count > 3 || earliest.pointee.pipeline.isEmpty
        }
        for pipeline in running { flush(pipeline, now) }
        if isOver, running.count > 0 { dismiss() }
    }

    /// Writes back what is due of one pipeline.
    mutating func depart(_ place: UnsafeMutablePointer<RunningPipeline>, upTo limit: Int64, _ now: Int64) {
        pop(place, upTo: limit, now)
        flush(place, now)
    }

    private mutating func pop(_ place: UnsafeMutablePointer<RunningPipeline>, upTo limit: Int64, _ now: Int64) {
        let time = LinkTime(nanoseconds: limit)
        while let departure = place.pointee.pipeline.popDeparture(upTo: time) { leave(departure, place, now) }
        let next = place.pointee.pipeline.nextDeparture?.nanoseconds ?? .max
        // What should have come with the rest is asked for again, but not for ever at once.
        place.pointee.next = next <= limit ? limit + 1 : next
    }

    @inline(__always)
    private mutating func leave(
        _ departure: Departure,
        _ place: UnsafeMutablePointer<RunningPipeline>,
        _ now: Int64
    ) {
        let (frame, segment) = slots.depart(departure.tag)
        let lane = place.pointee.lane
        counters[lane].queued &-= 1
        let isWhole = !place.pointee.needs.wirePackets
        let count = isWhole ? frame.record.pointee.segments : 1
        let bytes = isWhole ? frame.wireBytes : frame.countedBytes(segment)
        if let reason = departure.drop {
            drop(lane, PumpDrop(reason), count)
            logDrop(frame, segment, lane, departure.due.nanoseconds, PumpDrop(reason))
            release(frame, 1)
            return
        }
        counters[lane].left &+= UInt64(count)
        counters[lane].leftBytes &+= UInt64(bytes)
        if departure.isMarked { counters[lane].marked &+= 1 }
        if log != nil { logDeparture(departure, frame, bytes, lane) }
        if let bit = departure.corruptedBit {
            counters[lane].corrupted &+= 1
            flush(place, now)
            let changes = FrameWriter.Changes(isMarked: departure.isMarked, flippedBit: bit)
            finish(frame, segment, 1, changes, lane, references: 1)
            return
        }
        if let run = place.pointee.run, run.frame.start == frame.start, run.first &+ run.count == segment,
            run.isMarked == departure.isMarked
        {
            place.pointee.run?.count &+= 1
            return
        }
        flush(place, now)
        place.pointee.run = RunningPipeline.Run(
            frame: frame,
            first: segment,
            count: count,
            isMarked: departure.isMarked
        )
    }

    /// Writes the run that has come together.
    @inline(__always) mutating func flush(_ place: UnsafeMutablePointer<RunningPipeline>, _ now: Int64) {
        guard let run = place.pointee.run else { return }
        place.pointee.run = nil
        finish(
            run.frame,
            run.first,
            run.count,
            FrameWriter.Changes(isMarked: run.isMarked),
            place.pointee.lane,
            references: place.pointee.needs.wirePackets ? run.count : 1
        )
    }

    private mutating func finish(
        _ frame: StoredFrame,
        _ first: Int,
        _ count: Int,
        _ changes: FrameWriter.Changes,
        _ lane: Int,
        references: Int
    ) {
        counters[lane].writes &+= 1
        if !write(frame, first, count, changes) {
            counters[lane].left &-= UInt64(count)
            for segment in first..<first &+ count { counters[lane].leftBytes &-= UInt64(frame.countedBytes(segment)) }
            drop(lane, .refused, count)
        }
        release(frame, references)
    }

    /// Writes wire packets of a frame back to where it came from; false where the kernel does not take them.
    @inline(__always)
    func write(_ frame: StoredFrame, _ first: Int, _ count: Int, _ changes: FrameWriter.Changes) -> Bool {
        let descriptor = inputs[frame.record.pointee.input].descriptor
        let (head, tail) = writer.parts(of: frame, first: first, count: count, changes)
        return lc_write_two(descriptor, head.baseAddress, UInt(head.count), tail.baseAddress, UInt(tail.count)) > 0
    }

    private func logDeparture(_ departure: Departure, _ frame: StoredFrame, _ bytes: Int, _ lane: Int) {
        let fate: PacketLog.Fate =
            if departure.corruptedBit != nil {
                .corrupted
            } else if departure.isMarked {
                .marked
            } else if departure.copy > 0 { .duplicate } else { .passed }
        log?.add(
            PacketLog.Entry(
                arrival: frame.record.pointee.arrival,
                due: departure.due.nanoseconds,
                departure: lc_monotonic_time(),
                bytes: UInt32(truncatingIfNeeded: bytes),
                lane: UInt8(lane),
                fate: fate,
                reason: .max
            )
        )
    }
}
