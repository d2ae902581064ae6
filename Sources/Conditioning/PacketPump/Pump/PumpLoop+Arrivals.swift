// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import LinkRules

extension PumpLoop {
    /// The most bytes of a block that are copied to a smaller block to save memory; a larger frame keeps the block.
    private static let keptBlock = 24_576

    /// Receives the frame in `reading`, of `count` bytes with the virtio-net header.
    mutating func receive(_ count: Int, _ input: Int, _ now: Int64) {
        let frame = reading
        frame.describe(count: count, input: input)
        prepareReturn(frame, input)
        let layout = frame.record.pointee.layout
        guard layout.kind != .opaque, !layout.isLinkUpkeep else {
            guard network.isUp else { return }
            untouched &+= 1
            _ = write(frame.whole, .none)
            return
        }
        // Translated first: records and flows use the host's view of a packet.
        var isKnown = true
        if inputs[input].isDownlink {
            isKnown = network.families?.translateIncoming(frame) ?? true
            if isKnown { isKnown = network.translation?.translateIncoming(frame, now: now) ?? true }
        }
        let (lane, position) = classify(frame, input: input, now)
        let bytes = frame.wireBytes
        if now >= hits.nextStep { hits.advance(to: now, HitCounter.Arrivals(counters)) }
        counters[lane.rawValue].reads &+= 1
        counters[lane.rawValue].arrived &+= UInt64(frame.record.pointee.segments)
        counters[lane.rawValue].arrivedBytes &+= UInt64(bytes)
        frame.record.pointee.arrival = now
        let loss = network.loss(of: frame, isDownlink: inputs[input].isDownlink)
        if let reason = loss ?? (isKnown ? nil : .noMapping) ?? self.loss(withFragmentsOf: frame) {
            return drop(frame, reason, lane, now)
        }
        if mayHaveFaults(frame, lane, now) { return receiveFaulted(frame, lane, position, now) }
        if let pipeline = pipelines[lane] {
            admit(frame, at: position, to: pipeline, now)
        } else {
            deliverAtOnce(frame.whole, lane: lane, bytes: bytes, now)
        }
    }

    /// Changes the frame's addresses so that its device accepts it and no filter redirects it again.
    func prepareReturn(_ frame: StoredFrame, _ input: Int) {
        let bytes = frame.bytes
        switch inputs[input].traffic {
        case .leaving: break
        case .loopback:
            // Unicast on loopback has the destination 00:00:00:00:00:00: the TAP device would drop it as another
            // host's.
            if bytes.loadUnaligned(as: UInt32.self) == 0, bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0 {
                bytes.storeBytes(of: inputs[input].address.0, as: UInt32.self)
                bytes.storeBytes(of: inputs[input].address.1, toByteOffset: 4, as: UInt16.self)
            }
        case .arriving:
            guard inputs[input].lacking == 0 else { break }
            // Marks the frame by the group bit of the source address, which no sender sets: the filter skips marked
            // frames.
            bytes.setByte(6, UnsafeRawPointer(bytes).byte(6) | 1)
        }
    }

    /// Looks up a frame's flow, which gives its lane and its position in the flow.
    private mutating func classify(_ frame: StoredFrame, input: Int, _ now: Int64) -> (Lane, FlowPosition) {
        let isLoopback = inputs[input].traffic == .loopback
        let flow = flows.classify(
            frame.bytes,
            frame.record.pointee.layout,
            segments: frame.record.pointee.segments,
            segmentSize: frame.record.pointee.segmentSize,
            input: input,
            now: Self.seconds(now),
            asksFromEitherEnd: !isLoopback && !inputs[input].isDownlink
        )
        let isDownlink = isLoopback ? !flow.fromOpener : inputs[input].isDownlink
        guard !isDownlink else { return (.downlink, flow.position) }
        return (flow.isQuery && pipelines.hasQueryLane ? .dns : .uplink, flow.position)
    }

    /// Delivers a frame of a lane without impairments.
    mutating func deliverAtOnce(_ frame: FramePart, lane: Lane, bytes: Int, _ now: Int64) {
        let isDelivered = write(frame, .none)
        counters[lane.rawValue].writes &+= 1
        if isDelivered {
            counters[lane.rawValue].left &+= UInt64(frame.count)
            counters[lane.rawValue].leftBytes &+= UInt64(bytes)
        } else {
            countDrop(.refused, frame.count, lane)
        }
        guard watchers.isAny else { return }
        let fate: Fate = isDelivered ? .passed : .dropped(.refused)
        record(fate, of: frame, bytes: bytes, lane: lane, due: now, departure: isDelivered ? now : -1)
    }

    /// Lets a pipeline decide about the packets of a frame, and drops those that the pipeline or a fault loses.
    ///
    /// - Parameter losses: for each wire packet, the fault that loses it, or nil; empty if faults lose none.
    mutating func admit(
        _ arrival: StoredFrame,
        at position: FlowPosition,
        to pipeline: UnsafeMutablePointer<RunningPipeline>,
        _ now: Int64,
        losing losses: [FaultMark?] = []
    ) {
        let needs = pipeline.pointee.needs
        let lane = pipeline.pointee.lane
        let time = LinkTime(nanoseconds: now)
        // Packets that are due leave the queue first.
        if pipeline.pointee.next <= now { deliverDue(of: pipeline, upTo: now) }
        guard let frame = needs.memory ? keep(arrival) : arrival else { return drop(arrival, .memory, lane, now) }
        let record = frame.record
        let ecn = ECNSupport(rawValue: record.pointee.layout.congestion) ?? .none
        let pieces = needs.wirePackets ? record.pointee.segments : 1
        precondition(record.pointee.references == 0, "a frame arrives that a lane holds")
        let isLosing = !losses.isEmpty
        precondition(
            !isLosing || needs.wirePackets && losses.count == record.pointee.segments,
            "losses of other packets"
        )
        // Keeps the frame until all of its packets are admitted.
        record.pointee.references = 1
        recordArrival(frame, lane: lane, now)
        for segment in 0..<pieces {
            let part = needs.wirePackets ? FramePart(frame: frame, first: segment) : frame.whole
            let bytes = needs.wirePackets ? frame.countedBytes(segment) : record.pointee.layout.countedBytes
            if isLosing, let mark = losses[segment] {
                drop(part, .fault(mark), lane, due: now)
                continue
            }
            guard let tag = tags.allocate(frame, segment, for: pipeline.pointee.number) else {
                drop(part, .memory, lane, due: now)
                continue
            }
            let admission = pipeline.pointee.pipeline.accept(
                arrival: time,
                frameBytes: bytes,
                ecn: ecn,
                tag: tag,
                index: needs.isRandom ? position.index(segment) : nil,
                flow: position.mark
            )
            switch admission {
            case .admitted(let copies):
                if copies > 1 {
                    tags.setCopies(tag, copies)
                    recordCopies(of: frame, copies, lane: lane, now)
                    counters[lane.rawValue].duplicated &+= 1
                }
                record.pointee.references &+= copies
                counters[lane.rawValue].queued &+= UInt64(copies)
            case .dropped(let reason):
                tags.release(tag)
                drop(part, reason, lane, due: now)
            }
        }
        if needs.memory {
            pipeline.pointee.next = pipeline.pointee.pipeline.nextDeparture?.nanoseconds ?? .max
        } else {
            deliverDue(of: pipeline, upTo: now)
        }
        release(frame, 1)
        // A pipeline without memory should hold nothing; if it does, it keeps the block that was read into.
        if record.pointee.references > 0, frame.start == reading.start, !replaceReading() {
            preconditionFailure("no memory for the next read")
        }
    }

    /// Stores the frame that was just read, copied to a smaller block if that saves memory; nil if memory is full.
    private mutating func keep(_ frame: StoredFrame) -> StoredFrame? {
        let bytes = frame.blockBytes
        guard bytes <= Self.keptBlock else { return replaceReading() ? frame : nil }
        guard let block = pool.allocate(bytes) else { return nil }
        block.copyMemory(from: frame.start, byteCount: bytes)
        return StoredFrame(block)
    }

    private mutating func replaceReading() -> Bool {
        guard let block = pool.allocate(FramePool.largestBlock) else { return false }
        reading = StoredFrame(block)
        return true
    }

    /// Drops a frame that has just arrived, or that a fault has just made.
    mutating func drop(_ frame: StoredFrame, _ reason: DropReason, _ lane: Lane, _ now: Int64) {
        for segment in 0..<frame.record.pointee.segments {
            drop(FramePart(frame: frame, first: segment), reason, lane, due: now)
        }
    }

    /// Counts wire packets of a frame as dropped, and reports them to the log and the capture.
    @inline(__always) mutating func drop(
        _ part: FramePart,
        _ reason: DropReason,
        _ lane: Lane,
        due: Int64,
        isCopy: Bool = false
    ) {
        countDrop(reason, part.count, lane)
        if !isCopy { noteLoss(of: part.frame, reason) }
        recordDrop(part, reason, lane, due: due, isCopy: isCopy)
    }

    @inline(__always) func countDrop(_ reason: DropReason, _ count: Int, _ lane: Lane) {
        counters[lane.rawValue].dropped[reason.counter] &+= UInt64(count)
    }

    /// Removes `count` references to a frame; without references its block is released.
    @inline(__always) mutating func release(_ frame: StoredFrame, _ count: Int) {
        precondition(count > 0 && frame.record.pointee.references >= count, "a frame is released too often")
        frame.record.pointee.references &-= count
        if frame.record.pointee.references == 0, frame.start != reading.start { pool.release(frame.start) }
    }
}
