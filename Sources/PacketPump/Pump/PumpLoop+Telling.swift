// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

/// Who is told what becomes of each packet.
struct PacketWatchers {
    let log: PacketLog?
    let recorder: PacketRecorder?

    let isRecording: Bool

    init(log: PacketLog?, recorder: PacketRecorder?) {
        (self.log, self.recorder) = (log, recorder)
        isRecording = recorder != nil
    }

    /// Whether there are any.
    @inline(__always) var isAny: Bool { log != nil || isRecording }
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
    /// The index of the lane.
    var lane: Int
    /// When the model delivers or drops them, in nanoseconds of the monotonic clock.
    var due: Int64
    /// When they were delivered; negative if they were not.
    var departure: Int64
    var fate: PacketLog.Fate
    /// Why they were dropped; nil if they were not.
    var reason: PumpDrop?
}

extension PumpLoop {
    /// Tells that a frame has arrived whose packets' fates are still to come. Only what the host sends is seen by it now;
    /// what it receives is seen when it departs.
    @inline(__always) func tellArrival(_ frame: StoredFrame, lane: Int, _ now: Int64) {
        guard let recorder = watchers.recorder, lane != Lane.downlink.rawValue else { return }
        frame.record.pointee.number = recorder.arrive(at: now, pieces: frame.record.pointee.segments)
    }

    /// Tells that a packet of a frame will depart more than once.
    @inline(__always) func tellCopies(of frame: StoredFrame, _ copies: Int, _ now: Int64) {
        watchers.recorder?.change(frame.record.pointee.number, by: copies - 1, at: now)
    }

    /// Tells that packets were dropped.
    @inline(__always) mutating func tellDrop(_ part: FramePart, lane: Int, due: Int64, _ reason: PumpDrop) {
        guard watchers.isAny else { return }
        let bytes = part.frame.countedBytes(part.first)
        tell(part, bytes: bytes, PacketOutcome(lane: lane, due: due, departure: -1, fate: .dropped, reason: reason))
    }

    /// Tells that packets were delivered.
    ///
    /// - Parameter isRecorded: false if they are recorded with others, by ``recordRun(_:lane:)``.
    mutating func tellDelivery(_ departure: Departure, _ part: FramePart, bytes: Int, lane: Int, isRecorded: Bool) {
        let fate: PacketLog.Fate =
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
        if isRecorded { record(part, outcome, changes) }
        log(part, bytes: bytes, outcome)
    }

    /// Records packets that are delivered together as one.
    mutating func recordRun(_ run: RunningPipeline.Run, lane: Int) {
        let outcome = PacketOutcome(
            lane: lane,
            due: run.due,
            departure: lc_monotonic_time(),
            fate: run.isMarked ? .marked : .passed
        )
        record(
            FramePart(frame: run.frame, first: run.first, count: run.count),
            outcome,
            FrameWriter.Changes(isMarked: run.isMarked)
        )
    }

    /// Tells the fate of a frame that no pipeline has held.
    mutating func tellPassage(_ part: FramePart, bytes: Int, lane: Int, isTaken: Bool, _ now: Int64) {
        part.frame.record.pointee.arrival = now
        let outcome = PacketOutcome(
            lane: lane,
            due: now,
            departure: isTaken ? now : -1,
            fate: isTaken ? .passed : .dropped,
            reason: isTaken ? nil : .refused
        )
        tell(part, bytes: bytes, outcome)
    }

    private mutating func tell(_ part: FramePart, bytes: Int, _ outcome: PacketOutcome) {
        log(part, bytes: bytes, outcome)
        record(part, outcome, .none)
    }

    private func log(_ part: FramePart, bytes: Int, _ outcome: PacketOutcome) {
        watchers.log?.add(
            PacketLog.Entry(
                arrival: part.frame.record.pointee.arrival,
                due: outcome.due,
                departure: outcome.departure,
                bytes: UInt32(truncatingIfNeeded: bytes),
                lane: UInt8(outcome.lane),
                fate: outcome.fate,
                reason: outcome.reason?.rawValue ?? .max
            )
        )
    }

    private mutating func record(_ part: FramePart, _ outcome: PacketOutcome, _ changes: FrameWriter.Changes) {
        guard let recorder = watchers.recorder else { return }
        let record = part.frame.record
        let (head, tail) = writer.parts(of: part.frame, first: part.first, count: part.count, changes)
        recorder.add(
            PacketRecorder.Entry(
                arrival: record.pointee.arrival,
                due: outcome.due,
                departure: outcome.departure,
                number: record.pointee.number,
                segmentSize: part.count > 1 ? UInt32(truncatingIfNeeded: record.pointee.segmentSize) : 0,
                pieces: Int32(truncatingIfNeeded: part.count),
                kind: .packet,
                lane: UInt8(outcome.lane),
                fate: outcome.fate,
                reason: outcome.reason?.rawValue ?? .max,
                input: UInt8(truncatingIfNeeded: record.pointee.input)
            ),
            UnsafeRawBufferPointer(rebasing: head.dropFirst(VirtioHeader.size)),
            tail
        )
        isCrowded = recorder.isCrowded
    }
}
