// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import LinkRules

extension PumpLoop {
    /// The largest block for which a copy into a smaller one saves memory.
    private static let keptBlock = 24_576

    /// Receives the frame in `reading`, of `count` bytes with the virtio-net header.
    mutating func receive(_ count: Int, _ input: Int, _ now: Int64) {
        let frame = reading
        frame.describe(count: count, input: input)
        prepareReturn(frame, input)
        let layout = frame.record.pointee.layout
        guard layout.kind != .opaque, !layout.isLinkUpkeep else {
            untouched &+= 1
            _ = write(frame, first: 0, count: frame.record.pointee.segments, .none)
            return
        }
        let lane = lane(of: frame, layout: layout, input: input, now)
        let pipeline =
            switch lane {
            case .uplink: current.0
            case .downlink: current.1
            case .dns: current.2
            }
        let segments = frame.record.pointee.segments
        let bytes = frame.wireBytes
        counters[lane.rawValue].reads &+= 1
        counters[lane.rawValue].arrived &+= UInt64(segments)
        counters[lane.rawValue].arrivedBytes &+= UInt64(bytes)
        if let pipeline {
            frame.record.pointee.arrival = now
            admit(frame, to: pipeline, now)
        } else {
            deliverAtOnce(frame, lane: lane, segments: segments, bytes: bytes, now)
        }
    }

    /// Changes the frame's addresses so that its device accepts it and no filter redirects it again.
    private func prepareReturn(_ frame: StoredFrame, _ input: Int) {
        let bytes = frame.bytes
        switch inputs[input].traffic {
        case .leaving: break
        case .loopback:
            // Unicast on loopback has the destination 00:00:00:00:00:00, which is another host's to the TAP device.
            if bytes.loadUnaligned(as: UInt32.self) == 0, bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0 {
                bytes.storeBytes(of: inputs[input].address.0, as: UInt32.self)
                bytes.storeBytes(of: inputs[input].address.1, toByteOffset: 4, as: UInt16.self)
            }
        case .arriving:
            // No sender has a group address: the device's filter skips frames with one.
            bytes.setByte(6, UnsafeRawPointer(bytes).byte(6) | 1)
        }
    }

    private mutating func lane(of frame: StoredFrame, layout: FrameLayout, input: Int, _ now: Int64) -> Lane {
        let seconds = UInt32(truncatingIfNeeded: now / 1_000_000_000)
        switch inputs[input].traffic {
        case .loopback:
            let (fromOpener, isQuery) = flows.classify(frame.bytes, layout, now: seconds)
            guard fromOpener else { return .downlink }
            return isQuery && hasQueryLane ? .dns : .uplink
        case .leaving:
            return hasQueryLane && flows.isQuery(frame.bytes, layout, now: seconds) ? .dns : .uplink
        case .arriving: return .downlink
        }
    }

    /// Delivers a frame of a lane without impairments.
    private mutating func deliverAtOnce(_ frame: StoredFrame, lane: Lane, segments: Int, bytes: Int, _ now: Int64) {
        let isTaken = write(frame, first: 0, count: segments, .none)
        counters[lane.rawValue].writes &+= 1
        if isTaken {
            counters[lane.rawValue].left &+= UInt64(segments)
            counters[lane.rawValue].leftBytes &+= UInt64(bytes)
        } else {
            drop(lane, .refused, segments)
        }
        guard watchers.isAny else { return }
        let part = FramePart(frame: frame, first: 0, count: segments)
        tellPassage(part, bytes: bytes, lane: lane, isTaken: isTaken, now)
    }

    private mutating func admit(_ arrival: StoredFrame, to place: UnsafeMutablePointer<RunningPipeline>, _ now: Int64) {
        let needs = place.pointee.needs
        let lane = place.pointee.lane
        let time = LinkTime(nanoseconds: now)
        // Packets that are due leave the queue first.
        if place.pointee.next <= now { deliverDue(of: place, upTo: now) }
        guard let frame = needs.memory ? keep(arrival) : arrival else {
            dropForMemory(arrival, lane, now)
            return
        }
        let record = frame.record
        let isCapable = record.pointee.layout.congestion != 0
        let pieces = needs.wirePackets ? record.pointee.segments : 1
        // The wire packets of a piece.
        let count = needs.wirePackets ? 1 : record.pointee.segments
        // Keeps the frame until all of it is admitted.
        record.pointee.references = 1
        tellArrival(frame, lane: lane, now)
        for segment in 0..<pieces {
            let bytes = needs.wirePackets ? frame.countedBytes(segment) : record.pointee.layout.countedBytes
            guard let tag = tags.allocate(frame, segment, for: place.pointee.number) else {
                drop(lane, .memory, count)
                tellDrop(FramePart(frame: frame, first: segment, count: count), lane: lane, due: now, .memory)
                continue
            }
            switch place.pointee.pipeline.accept(arrival: time, frameBytes: bytes, isECNCapable: isCapable, tag: tag) {
            case .admitted(let copies):
                if copies > 1 {
                    tags.setCopies(tag, copies)
                    tellCopies(of: frame, copies, now)
                    counters[lane.rawValue].duplicated &+= 1
                }
                record.pointee.references &+= copies
                counters[lane.rawValue].queued &+= UInt64(copies)
            case .dropped(let reason):
                tags.release(tag)
                drop(lane, reason, count)
                let part = FramePart(frame: frame, first: segment, count: count)
                tellDrop(part, lane: lane, due: now, reason)
            }
        }
        if needs.memory {
            place.pointee.next = place.pointee.pipeline.nextDeparture?.nanoseconds ?? .max
        } else {
            deliverDue(of: place, upTo: now)
        }
        release(frame, 1)
        // A pipeline without memory should hold nothing; if it does, it keeps the block that was read into.
        if record.pointee.references > 0, frame.start == reading.start, !takeNewReading() {
            preconditionFailure("no memory for the next read")
        }
    }

    /// Stores the frame that was just read, copied to a smaller block if that saves memory; nil if memory is full.
    private mutating func keep(_ frame: StoredFrame) -> StoredFrame? {
        let bytes = frame.blockBytes
        guard bytes <= Self.keptBlock else { return takeNewReading() ? frame : nil }
        guard let block = pool.allocate(bytes) else { return nil }
        block.copyMemory(from: frame.start, byteCount: bytes)
        return StoredFrame(block)
    }

    private mutating func takeNewReading() -> Bool {
        guard let block = pool.allocate(FramePool.largestBlock) else { return false }
        reading = StoredFrame(block)
        return true
    }

    /// Drops a whole frame for lack of memory.
    private mutating func dropForMemory(_ frame: StoredFrame, _ lane: Lane, _ now: Int64) {
        let segments = frame.record.pointee.segments
        drop(lane, .memory, segments)
        for segment in 0..<segments { tellDrop(FramePart(frame: frame, first: segment), lane: lane, due: now, .memory) }
    }

    /// Counts `count` packets as dropped.
    @inline(__always) func drop(_ lane: Lane, _ reason: DropReason, _ count: Int) {
        counters[lane.rawValue].dropped[Int(reason.rawValue)] &+= UInt64(count)
    }

    /// Removes `count` references to a frame; without references its block is released.
    @inline(__always) mutating func release(_ frame: StoredFrame, _ count: Int) {
        frame.record.pointee.references &-= count
        if frame.record.pointee.references == 0, frame.start != reading.start { pool.release(frame.start) }
    }
}
