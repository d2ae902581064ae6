// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

extension PumpLoop {
    /// Delivers or drops the packets of all pipelines that are due, in the order of time.
    mutating func deliverDue() {
        guard !pipelines.all.isEmpty else { return }
        let now = lc_monotonic_time()
        var isOver = false
        while true {
            var first = Int64.max
            var second = Int64.max
            var earliest: UnsafeMutablePointer<RunningPipeline>?
            for pipeline in pipelines.all {
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
            isOver = isOver || pipelines.all.count > 3 || earliest.pointee.pipeline.isEmpty
        }
        for pipeline in pipelines.all { deliverRun(of: pipeline) }
        if isOver { pipelines.removeEmpty() }
    }

    /// Delivers or drops the packets of one pipeline that are due.
    mutating func deliverDue(of pipeline: UnsafeMutablePointer<RunningPipeline>, upTo limit: Int64) {
        process(pipeline, upTo: limit)
        deliverRun(of: pipeline)
    }

    private mutating func process(_ pipeline: UnsafeMutablePointer<RunningPipeline>, upTo limit: Int64) {
        let time = LinkTime(nanoseconds: limit)
        while let departure = pipeline.pointee.pipeline.popDeparture(upTo: time) { process(departure, of: pipeline) }
        let next = pipeline.pointee.pipeline.nextDeparture?.nanoseconds ?? .max
        // A departure that is due but was not returned is requested 1 ns later, so that the caller's loop ends.
        pipeline.pointee.next = next <= limit ? limit + 1 : next
    }

    @inline(__always)
    private mutating func process(_ departure: Departure, of pipeline: UnsafeMutablePointer<RunningPipeline>) {
        let (frame, segment) = tags.resolve(departure.tag, copy: departure.copy, of: pipeline.pointee.number)
        precondition(frame.record.pointee.references > 0, "departure of a frame that was released")
        let lane = pipeline.pointee.lane
        let due = departure.due.nanoseconds
        precondition(counters[lane.rawValue].queued > 0, "more packets leave the lane than came")
        counters[lane.rawValue].queued &-= 1
        let isWhole = !pipeline.pointee.needs.wirePackets
        let part = isWhole ? frame.whole : FramePart(frame: frame, first: segment)
        let isDownlink = inputs[frame.record.pointee.input].isDownlink
        if let reason = departure.drop ?? network.loss(of: frame, isDownlink: isDownlink) {
            deliverRun(of: pipeline)
            drop(part, reason, lane, due: due, isCopy: departure.copy > 0)
            release(frame, 1)
            return
        }
        let bytes = isWhole ? frame.wireBytes : frame.countedBytes(segment)
        counters[lane.rawValue].left &+= UInt64(part.count)
        counters[lane.rawValue].leftBytes &+= UInt64(bytes)
        if departure.isMarked { counters[lane.rawValue].marked &+= 1 }
        if departure.corruptedBit != nil { counters[lane.rawValue].corrupted &+= 1 }
        // If packets come too fast, those that are delivered together share a record.
        let isOneRecord = isCrowded && departure.corruptedBit == nil && departure.copy == 0
        if let run = pipeline.pointee.run, departure.corruptedBit == nil, run.part.isFollowed(by: part),
            run.isMarked == departure.isMarked, run.isOneRecord == isOneRecord
        {
            pipeline.pointee.run?.part.count &+= 1
        } else {
            deliverRun(of: pipeline)
            pipeline.pointee.run = RunningPipeline.Run(
                part: part,
                isMarked: departure.isMarked,
                due: due,
                isOneRecord: isOneRecord
            )
        }
        if watchers.isAny, !isOneRecord {
            let (fate, isCopy) = (Self.fate(departure), departure.copy > 0)
            pipeline.pointee.unreported.append(
                RunningPipeline.UnreportedPacket(fate: fate, due: due, bytes: bytes, isCopy: isCopy)
            )
        }
        if departure.corruptedBit != nil { deliverRun(of: pipeline, flippedBit: departure.corruptedBit) }
    }

    /// Delivers the collected run, if there is one, and reports the fates of its packets.
    @inline(__always)
    mutating func deliverRun(of pipeline: UnsafeMutablePointer<RunningPipeline>, flippedBit: UInt32? = nil) {
        guard let run = pipeline.pointee.run else { return }
        pipeline.pointee.run = nil
        let lane = pipeline.pointee.lane
        let changes = FrameWriter.Changes(isMarked: run.isMarked, flippedBit: flippedBit)
        let now = watchers.isAny ? lc_monotonic_time() : 0
        let isWritten = write(run.part, changes)
        counters[lane.rawValue].writes &+= 1
        if !isWritten {
            precondition(counters[lane.rawValue].left >= UInt64(run.part.count), "packets are refused that never left")
            counters[lane.rawValue].left &-= UInt64(run.part.count)
            counters[lane.rawValue].leftBytes &-= UInt64(run.part.countedBytes)
            countDrop(.refused, run.part.count, lane)
        }
        if watchers.isAny { recordDelivery(of: run, pipeline, isWritten ? now : nil, changes) }
        release(run.part.frame, pipeline.pointee.needs.wirePackets ? run.part.count : 1)
    }

    /// Writes wire packets of a frame to the device that it came from; false if write(2) fails.
    @inline(__always) mutating func write(_ part: FramePart, _ changes: FrameWriter.Changes) -> Bool {
        let input = part.frame.record.pointee.input
        precondition(input >= 0 && input < inputCount, "a frame of no device")
        let descriptor = inputs[input].output
        // Translated for the write only: the packet's record and its later copies keep the host's port.
        let edit =
            network.translation == nil || inputs[input].isDownlink
            ? nil : network.translation?.translateOutgoing(part.frame, now: lc_monotonic_time())
        defer { edit?.undo() }
        let (frameHead, tail) = writer.pieces(of: part, changes)
        var head = frameHead
        if network.families != nil, !inputs[input].isDownlink {
            switch network.families?.translateOutgoing(head, part.frame.record.pointee.layout) {
            case .translated(let bytes): head = bytes
            case .lost: return false
            case .unchanged, nil: break
            }
        }
        return lc_write_two(descriptor, head.baseAddress, UInt(head.count), tail.baseAddress, UInt(tail.count)) > 0
    }
}
