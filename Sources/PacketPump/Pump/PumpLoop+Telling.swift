// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

/// Who is told what becomes of each packet.
struct PacketWatchers {
    /// Is told of every packet, without its bytes.
    let log: PacketLog?
    /// Is told of every packet, and of arrivals whose fates are still to come.
    let capture: PacketRecorder?

    /// Whether there are any.
    let isAny: Bool

    init(log: PacketLog?, capture: PacketRecorder?) {
        (self.log, self.capture) = (log, capture)
        isAny = log != nil || capture != nil
    }
}

/// Wire packets of a frame that share one fate.
struct FramePart {
    var frame: StoredFrame
    /// The index of the first wire packet.
    var first: Int
    /// The number of wire packets.
    var count = 1
}

/// What became of packets in a lane.
struct PacketOutcome {
    var lane: Lane
    /// When the model delivers or drops them, in nanoseconds of the monotonic clock.
    var due: Int64
    /// When they were delivered; negative if they were not.
    var departure: Int64
    var fate: Fate
}

extension PumpLoop {
    /// Tells that a frame has arrived whose packets' fates are still to come. Only what the host sends is seen by it now;
    /// what it receives is seen when it departs.
    @inline(__always) func tellArrival(_ frame: StoredFrame, lane: Lane, _ now: Int64) {
        guard let recorder = watchers.capture, lane != .downlink else { return }
        frame.record.pointee.number = recorder.arrive(at: now, pieces: frame.record.pointee.segments)
    }

    /// Tells that a packet of a frame will depart more than once.
    @inline(__always) func tellCopies(of frame: StoredFrame, _ copies: Int, _ now: Int64) {
        watchers.capture?.change(frame.record.pointee.number, by: copies - 1, at: now)
    }

    /// Tells that packets were dropped.
    @inline(__always) mutating func tellDrop(_ part: FramePart, lane: Lane, due: Int64, _ reason: DropReason) {
        guard watchers.isAny else { return }
        let bytes = part.frame.countedBytes(part.first)
        tell(part, bytes: bytes, PacketOutcome(lane: lane, due: due, departure: -1, fate: .dropped(reason)), .none)
    }

    /// Tells that packets were delivered.
    mutating func tellDelivery(_ departure: Departure, _ part: FramePart, bytes: Int, lane: Lane) {
        let fate: Fate =
            if departure.corruptedBit != nil {
                .corrupted
            } else if departure.isMarked {
                .marked
            } else if departure.copy > 0 { .duplicate } else { .passed }
        let changes = FrameWriter.Changes(isMarked: departure.isMarked, flippedBit: departure.corruptedBit)
        let outcome = PacketOutcome(
            lane: lane,
            due: departure.due.nanoseconds,
            departure: lc_monotonic_time(),
            fate: fate
        )
        tell(part, bytes: bytes, outcome, changes)
    }

    /// Tells of packets that are delivered together as of one.
    mutating func tellDelivery(of run: RunningPipeline.Run, lane: Lane) {
        let outcome = PacketOutcome(
            lane: lane,
            due: run.due,
            departure: lc_monotonic_time(),
            fate: run.isMarked ? .marked : .passed
        )
        let bytes = (run.first..<run.first &+ run.count).reduce(0) { $0 &+ run.frame.countedBytes($1) }
        tell(
            FramePart(frame: run.frame, first: run.first, count: run.count),
            bytes: bytes,
            outcome,
            FrameWriter.Changes(isMarked: run.isMarked)
        )
    }

    /// Tells the fate of a frame that no pipeline has held.
    mutating func tellPassage(_ part: FramePart, bytes: Int, lane: Lane, isTaken: Bool, _ now: Int64) {
        part.frame.record.pointee.arrival = now
        let outcome = PacketOutcome(
            lane: lane,
            due: now,
            departure: isTaken ? now : -1,
            fate: isTaken ? .passed : .dropped(.refused)
        )
        tell(part, bytes: bytes, outcome, .none)
    }

    private mutating func tell(
        _ part: FramePart,
        bytes: Int,
        _ outcome: PacketOutcome,
        _ changes: FrameWriter.Changes
    ) {
        let record = part.frame.record
        let entry = PacketRecorder.Entry(
            arrival: record.pointee.arrival,
            due: outcome.due,
            departure: outcome.departure,
            number: record.pointee.number,
            counted: UInt32(truncatingIfNeeded: bytes),
            segmentSize: part.count > 1 ? UInt32(truncatingIfNeeded: record.pointee.segmentSize) : 0,
            pieces: Int32(truncatingIfNeeded: part.count),
            kind: .packet,
            lane: outcome.lane,
            fate: outcome.fate,
            input: UInt8(truncatingIfNeeded: record.pointee.input)
        )
        watchers.log?.recorder.add(entry)
        guard let recorder = watchers.capture else { return }
        let (head, tail) = writer.parts(of: part.frame, first: part.first, count: part.count, changes)
        recorder.add(entry, UnsafeRawBufferPointer(rebasing: head.dropFirst(VirtioHeader.size)), tail)
        // A log has a line for each packet.
        isCrowded = watchers.log == nil && recorder.isCrowded
    }
}
