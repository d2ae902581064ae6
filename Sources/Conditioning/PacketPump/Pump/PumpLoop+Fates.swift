// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles

/// The receivers of each packet's fate.
struct PacketWatchers {
    /// Receives every packet's fate, without the packet's bytes.
    let log: PacketLog?
    /// Receives every packet's fate, and arrivals whose fates are still to come.
    let capture: PacketRecorder?
    /// Receives the headers of every packet with its fate, for the account of flows.
    let account: PacketRecorder?
    /// Whether there is a log, a capture or an account.
    let isAny: Bool

    init(log: PacketLog?, capture: PacketRecorder?, account: PacketRecorder? = nil) {
        (self.log, self.capture, self.account) = (log, capture, account)
        isAny = log != nil || capture != nil || account != nil
    }

    /// Whether packets that are delivered together may always share a record: an account only adds them up.
    var isOnlyAccount: Bool { account != nil && log == nil && capture == nil }
}

extension PumpLoop {
    /// Records the arrival of a frame whose packets' fates are still to come.
    @inline(__always) func recordArrival(_ frame: StoredFrame, lane: Lane, _ now: Int64) {
        guard let recorder = watchers.capture else { return }
        frame.record.pointee.number = recorder.arrive(at: now, pieces: frame.record.pointee.segments, lane)
    }

    /// Records that a packet of a frame will depart more than once.
    @inline(__always) func recordCopies(of frame: StoredFrame, _ copies: Int, lane: Lane, _ now: Int64) {
        watchers.capture?.change(frame.record.pointee.number, by: copies - 1, at: now, lane)
    }

    @inline(__always) mutating func recordDrop(
        _ part: FramePart,
        _ reason: DropReason,
        _ lane: Lane,
        due: Int64,
        isCopy: Bool
    ) {
        guard watchers.isAny else { return }
        let bytes = part.frame.countedBytes(part.first)
        record(.dropped(reason), of: part, bytes: bytes, lane: lane, due: due, isCopy: isCopy)
    }

    /// Reports the fates of a run's packets, in one record for all or one for each.
    ///
    /// - Parameter departure: when they were delivered, in nanoseconds of the monotonic clock; nil if the device
    ///   refused them.
    mutating func recordDelivery(
        of run: RunningPipeline.Run,
        _ pipeline: UnsafeMutablePointer<RunningPipeline>,
        _ departure: Int64?,
        _ changes: FrameWriter.Changes
    ) {
        let lane = pipeline.pointee.lane
        func actual(_ fate: Fate) -> Fate { departure == nil ? .dropped(.refused) : fate }
        guard !run.isOneRecord else {
            let fate = actual(run.isMarked ? .marked : .passed)
            let bytes = run.part.countedBytes
            return record(
                fate,
                of: run.part,
                bytes: bytes,
                lane: lane,
                due: run.due,
                departure: departure ?? -1,
                changes
            )
        }
        var part = run.part
        let packets = pipeline.pointee.needs.wirePackets ? part.count : 1
        precondition(pipeline.pointee.unreported.count == packets, "a run has other packets than those to be told of")
        if pipeline.pointee.needs.wirePackets { part.count = 1 }
        for packet in pipeline.pointee.unreported {
            let (fate, bytes) = (actual(packet.fate), packet.bytes)
            record(
                fate,
                of: part,
                bytes: bytes,
                lane: lane,
                due: packet.due,
                departure: departure ?? -1,
                changes,
                isCopy: packet.isCopy
            )
            part.first &+= 1
        }
        pipeline.pointee.unreported.removeAll(keepingCapacity: true)
    }

    /// The fate of a packet that is delivered.
    @inline(__always) static func fate(_ departure: Departure) -> Fate {
        if departure.corruptedBit != nil { return .corrupted }
        if departure.isMarked { return .marked }
        return departure.copy > 0 ? .duplicate : .passed
    }

    /// Reports the fate that wire packets of a frame share to the log and the capture, and updates `isCrowded`.
    ///
    /// - Parameters:
    ///   - due: when the model delivers or drops them, in nanoseconds of the monotonic clock.
    ///   - departure: when they were delivered; negative if they were not.
    ///   - isCopy: whether they are duplicates that the link has made.
    mutating func record(
        _ fate: Fate,
        of part: FramePart,
        bytes: Int,
        lane: Lane,
        due: Int64,
        departure: Int64 = -1,
        _ changes: FrameWriter.Changes = .none,
        isCopy: Bool = false
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
            isCopy: isCopy,
            maker: record.pointee.maker,
            input: UInt8(truncatingIfNeeded: record.pointee.input)
        )
        watchers.log?.recorder.add(packet)
        guard watchers.capture != nil || watchers.account != nil else { return }
        let (whole, tail) = writer.pieces(of: part, changes)
        let head = UnsafeRawBufferPointer(rebasing: whole.dropFirst(VirtioHeader.size))
        if let account = watchers.account {
            // Names are read from DNS answers.
            let mayBeAnswer = lane == .downlink && record.pointee.layout.sourcePort == 53
            let limit = mayBeAnswer ? PacketRecorder.answerLength : PacketRecorder.headerLength
            account.add(packet, head, tail, atMost: limit)
        }
        guard let recorder = watchers.capture else { return }
        recorder.add(packet, head, tail)
        // A log has a line for each packet.
        isCrowded = watchers.log == nil && recorder.isCrowded
    }
}
