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
        tell(part, bytes: bytes, lane: lane, due: due, departure: -1, .dropped, reason)
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
        let (due, now) = (departure.due.nanoseconds, lc_monotonic_time())
        if isRecorded { record(part, lane: lane, due: due, departure: now, fate, nil, changes) }
        log(part, bytes: bytes, lane: lane, due: due, departure: now, fate, nil)
    }

    /// Records packets that are delivered together as one.
    mutating func recordRun(_ run: RunningPipeline.Run, lane: Int) {
        record(
            FramePart(frame: run.frame, first: run.first, count: run.count),
            lane: lane,
            due: run.due,
            departure: lc_monotonic_time(),
            run.isMarked ? .marked : .passed,
            nil,
            FrameWriter.Changes(isMarked: run.isMarked)
        )
    }

    /// Tells the fate of a frame that no pipeline has held.
    mutating func tellPassage(_ part: FramePart, bytes: Int, lane: Int, isTaken: Bool, _ now: Int64) {
        part.frame.record.pointee.arrival = now
        let fate: PacketLog.Fate = isTaken ? .passed : .dropped
        let reason: PumpDrop? = isTaken ? nil : .refused
        tell(part, bytes: bytes, lane: lane, due: now, departure: isTaken ? now : -1, fate, reason)
    }

    private mutating func tell(
        _ part: FramePart,
        bytes: Int,
        lane: Int,
        due: Int64,
        departure: Int64,
        _ fate: PacketLog.Fate,
        _ reason: PumpDrop?
    ) {
        log(part, bytes: bytes, lane: lane, due: due, departure: departure, fate, reason)
        record(part, lane: lane, due: due, departure: departure, fate, reason, .none)
    }

    private func log(
        _ part: FramePart,
        bytes: Int,
        lane: Int,
        due: Int64,
        departure: Int64,
        _ fate: PacketLog.Fate,
        _ reason: PumpDrop?
    ) {
        watchers.log?.add(
            PacketLog.Entry(
                arrival: part.frame.record.pointee.arrival,
                due: due,
                departure: departure,
                bytes: UInt32(truncatingIfNeeded: bytes),
                lane: UInt8(lane),
                fate: fate,
                reason: reason?.rawValue ?? .max
            )
        )
    }

    private mutating func record(
        _ part: FramePart,
        lane: Int,
        due: Int64,
        departure: Int64,
        _ fate: PacketLog.Fate,
        _ reason: PumpDrop?,
        _ changes: FrameWriter.Changes
    ) {
        guard let recorder = watchers.recorder else { return }
        let record = part.frame.record
        let (head, tail) = writer.parts(of: part.frame, first: part.first, count: part.count, changes)
        recorder.add(
            PacketRecorder.Entry(
                arrival: record.pointee.arrival,
                due: due,
                departure: departure,
                number: record.pointee.number,
                segmentSize: part.count > 1 ? UInt32(truncatingIfNeeded: record.pointee.segmentSize) : 0,
                pieces: Int32(truncatingIfNeeded: part.count),
                kind: .packet,
                lane: UInt8(lane),
                fate: fate,
                reason: reason?.rawValue ?? .max,
                input: UInt8(truncatingIfNeeded: record.pointee.input)
            ),
            UnsafeRawBufferPointer(rebasing: head.dropFirst(VirtioHeader.size)),
            tail
        )
        isCrowded = recorder.isCrowded
    }
}
