// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

/// What is told the fate of each packet.
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

extension PumpLoop {
    /// Tells that a frame has arrived whose packets' fates are still to come.
    @inline(__always) func tellArrival(_ frame: StoredFrame, lane: Lane, _ now: Int64) {
        guard let recorder = watchers.capture else { return }
        frame.record.pointee.number = recorder.arrive(at: now, pieces: frame.record.pointee.segments, lane)
    }

    /// Tells that a packet of a frame will depart more than once.
    @inline(__always) func tellCopies(of frame: StoredFrame, _ copies: Int, lane: Lane, _ now: Int64) {
        watchers.capture?.change(frame.record.pointee.number, by: copies - 1, at: now, lane)
    }

    @inline(__always) mutating func tellDrop(_ part: FramePart, _ reason: DropReason, _ lane: Lane, due: Int64) {
        guard watchers.isAny else { return }
        tell(.dropped(reason), of: part, bytes: part.frame.countedBytes(part.first), lane: lane, due: due)
    }

    /// Tells of packets that are delivered together as of one.
    mutating func tellDelivery(of run: RunningPipeline.Run, lane: Lane) {
        tell(
            run.isMarked ? .marked : .passed,
            of: run.part,
            bytes: run.part.countedBytes,
            lane: lane,
            due: run.due,
            departure: lc_monotonic_time(),
            FrameWriter.Changes(isMarked: run.isMarked)
        )
    }

    /// The fate of a packet that is delivered.
    @inline(__always) static func fate(_ departure: Departure) -> Fate {
        if departure.corruptedBit != nil { return .corrupted }
        if departure.isMarked { return .marked }
        return departure.copy > 0 ? .duplicate : .passed
    }

    /// Tells the fate that wire packets of a frame share.
    ///
    /// - Parameters:
    ///   - due: when the model delivers or drops them, in nanoseconds of the monotonic clock.
    ///   - departure: when they were delivered; negative if they were not.
    mutating func tell(
        _ fate: Fate,
        of part: FramePart,
        bytes: Int,
        lane: Lane,
        due: Int64,
        departure: Int64 = -1,
        _ changes: FrameWriter.Changes = .none
    ) {
        let record = part.frame.record
        let packet = RecordedPacket(
            arrival: record.pointee.arrival,
            due: due,
            departure: departure,
            number: record.pointee.number,
            counted: UInt32(truncatingIfNeeded: bytes),
            segmentSize: part.count > 1 ? UInt32(truncatingIfNeeded: record.pointee.segmentSize) : 0,
            pieces: Int32(truncatingIfNeeded: part.count),
            first: UInt16(truncatingIfNeeded: part.first),
            kind: .packet,
            lane: lane,
            fate: fate,
            input: UInt8(truncatingIfNeeded: record.pointee.input)
        )
        watchers.log?.recorder.add(packet)
        guard let recorder = watchers.capture else { return }
        let (head, tail) = writer.pieces(of: part, changes)
        recorder.add(packet, UnsafeRawBufferPointer(rebasing: head.dropFirst(VirtioHeader.size)), tail)
        // A log has a line for each packet.
        isCrowded = watchers.log == nil && recorder.isCrowded
    }
}
