// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import TrafficControl

extension PumpLoop {
    /// Blocks larger than this are not worth a copy into a smaller one.
    private static let keptBlock = 24_576

    /// Takes a frame that lies in `reading`; `count` bytes with the virtio-net header.
    mutating func serve(_ count: Int, _ input: Int, _ now: Int64) {
        let frame = reading
        frame.describe(count: count, input: input)
        prepareReturn(frame, input)
        let layout = frame.record.pointee.layout
        guard layout.kind != .opaque, !layout.isLinkUpkeep else {
            untouched &+= 1
            _ = write(frame, 0, frame.record.pointee.segments, .none)
            return
        }
        let lane = lane(of: frame, layout, input, now)
        let pipeline = lane == 0 ? current.0 : lane == 1 ? current.1 : current.2
        let segments = frame.record.pointee.segments
        let bytes = frame.wireBytes
        counters[lane].reads &+= 1
        counters[lane].arrived &+= UInt64(segments)
        counters[lane].arrivedBytes &+= UInt64(bytes)
        if let pipeline {
            frame.record.pointee.arrival = now
            admit(frame, to: pipeline, now)
        } else {
            pass(frame, lane, segments, bytes, now)
        }
    }

    /// Makes the frame one that its device lets in, and that is not taken for one that has yet to come here.
    private func prepareReturn(_ frame: StoredFrame, _ input: Int) {
        let bytes = frame.bytes
        switch inputs[input].traffic {
        case .leaving: break
        case .loopback:
            // Unicast on loopback goes to 00:00:00:00:00:00, which the TAP device would take for another host.
            if bytes.loadUnaligned(as: UInt32.self) == 0, bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0 {
                bytes.storeBytes(of: inputs[input].address.0, as: UInt32.self)
                bytes.storeBytes(of: inputs[input].address.1, toByteOffset: 4, as: UInt16.self)
            }
        case .arriving:
            // No sender has a group address: the filter at the device knows by it what it has sent here before.
            bytes.setByte(6, UnsafeRawPointer(bytes).byte(6) | 1)
        }
    }

    private mutating func lane(of frame: StoredFrame, _ layout: FrameLayout, _ input: Int, _ now: Int64) -> Int {
        let seconds = UInt32(truncatingIfNeeded: now / 1_000_000_000)
        switch inputs[input].traffic {
        case .loopback:
            let (fromOpener, isQuery) = flows.classify(frame.bytes, layout, now: seconds)
            guard fromOpener else { return Lane.downlink.rawValue }
            return isQuery && hasQueryLane ? Lane.dns.rawValue : Lane.uplink.rawValue
        case .leaving:
            guard hasQueryLane, flows.isQuery(frame.bytes, layout, now: seconds) else {
                return Lane.uplink.rawValue
            }
            return Lane.dns.rawValue
        case .arriving: return Lane.downlink.rawValue
        }
    }

    private mutating func pass(_ frame: StoredFrame, _ lane: Int, _ segments: Int, _ bytes: Int, _ now: Int64) {
        let isTaken = write(frame, 0, segments, .none)
        counters[lane].writes &+= 1
        if isTaken {
            counters[lane].left &+= UInt64(segments)
            counters[lane].leftBytes &+= UInt64(bytes)
        } else {
            drop(lane, .refused, segments)
        }
        log?.add(
            PacketLog.Entry(
                arrival: now,
                due: now,
                departure: isTaken ? now : -1,
                bytes: UInt32(truncatingIfNeeded: bytes),
                lane: UInt8(lane),
                fate: isTaken ? .passed : .dropped,
                reason: isTaken ? .max : PumpDrop.refused.rawValue
            )
        )
    }

    private mutating func admit(_ arrival: StoredFrame, to place: UnsafeMutablePointer<RunningPipeline>, _ now: Int64) {
        let needs = place.pointee.needs
        let lane = place.pointee.lane
        let time = LinkTime(nanoseconds: now)
        // What has left by now makes room.
        if place.pointee.next <= now { depart(place, upTo: now, now) }
        guard let frame = needs.memory ? keep(arrival) : arrival else {
            dropAll(arrival, lane, now)
            return
        }
        let record = frame.record
        let isCapable = record.pointee.layout.congestion != 0
        let pieces = needs.wirePackets ? record.pointee.segments : 1
        // Held until all of it is admitted.
        record.pointee.references = 1
        for segment in 0..<pieces {
            let bytes = needs.wirePackets ? frame.countedBytes(segment) : record.pointee.layout.countedBytes
            guard let tag = slots.take(frame, segment, for: place.pointee.number) else {
                drop(lane, .memory, 1)
                logDrop(frame, segment, lane, now, .memory)
                continue
            }
            switch place.pointee.pipeline.accept(arrival: time, frameBytes: bytes, isECNCapable: isCapable, tag: tag) {
            case .admitted(let copies):
                if copies > 1 {
                    slots.setCopies(tag, copies)
                    counters[lane].duplicated &+= 1
                }
                record.pointee.references &+= copies
                counters[lane].queued &+= UInt64(copies)
            case .dropped(let reason):
                slots.release(tag)
                let count = needs.wirePackets ? 1 : record.pointee.segments
                drop(lane, PumpDrop(reason), count)
                logDrop(frame, segment, lane, now, PumpDrop(reason))
            }
        }
        if needs.memory {
            place.pointee.next = place.pointee.pipeline.nextDeparture?.nanoseconds ?? .max
        } else {
            depart(place, upTo: now, now)
        }
        release(frame, 1)
        // A pipeline that kept something although nothing in it says so keeps the block it was read into.
        if record.pointee.references > 0, frame.start == reading.start, !takeNewReading() {
            preconditionFailure("no block to read into")
        }
    }

    /// Gives the frame that was just read a block of its own, a small one where it is small; nil where memory is full.
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

    /// Drops a whole frame for which there is no memory.
    private mutating func dropAll(_ frame: StoredFrame, _ lane: Int, _ now: Int64) {
        let segments = frame.record.pointee.segments
        drop(lane, .memory, segments)
        for segment in 0..<segments { logDrop(frame, segment, lane, now, .memory) }
    }

    @inline(__always) func drop(_ lane: Int, _ reason: PumpDrop, _ count: Int) {
        counters[lane].dropped[Int(reason.rawValue)] &+= UInt64(count)
    }

    @inline(__always) func logDrop(_ frame: StoredFrame, _ segment: Int, _ lane: Int, _ due: Int64, _ reason: PumpDrop)
    {
        guard let log else { return }
        log.add(
            PacketLog.Entry(
                arrival: frame.record.pointee.arrival,
                due: due,
                departure: -1,
                bytes: UInt32(truncatingIfNeeded: frame.countedBytes(segment)),
                lane: UInt8(lane),
                fate: .dropped,
                reason: reason.rawValue
            )
        )
    }

    /// Lets go of a frame, as often as that.
    @inline(__always) mutating func release(_ frame: StoredFrame, _ count: Int) {
        frame.record.pointee.references &-= count
        if frame.record.pointee.references == 0, frame.start != reading.start { pool.release(frame.start) }
    }
}
