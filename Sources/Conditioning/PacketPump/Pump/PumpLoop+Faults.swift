// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkEmulation
internal import LinkProfiles
internal import LinkRules
internal import PacketFaults

extension PumpLoop {
    /// Whether faults must decide about a frame; if not, records the frame as a use of its connection.
    mutating func mayHaveFaults(_ frame: StoredFrame, _ lane: Lane, _ now: Int64) -> Bool {
        guard faults != nil else { return false }
        let networkOffset = Int(frame.record.pointee.layout.network)
        // Enough bytes for the ports of most packets.
        let head = UnsafeRawBufferPointer(
            start: frame.bytes + networkOffset,
            count: min(max(frame.record.pointee.length - networkOffset, 0), 128)
        )
        return faults?.recordSettled(Array(head), lane.direction, at: now) == false
    }

    /// Lets faults decide about the wire packets of a frame, passes the frame to its lane, and sends the packets that
    /// faults make.
    mutating func receiveFaulted(_ frame: StoredFrame, _ lane: Lane, _ position: FlowPosition, _ now: Int64) {
        let record = frame.record
        let (segments, networkOffset) = (record.pointee.segments, Int(record.pointee.layout.network))
        let linkHeader = Array(UnsafeRawBufferPointer(start: frame.bytes, count: networkOffset))
        let input = record.pointee.input
        var losses: [FaultMark?] = []
        var made: [MadePacket] = []
        for segment in 0..<segments {
            let bytes = packetBytes(of: frame, segment)
            guard let decision = faults?.decide(bytes, lane.direction, at: now) else { continue }
            if let mark = decision.loss {
                if losses.isEmpty { losses = [FaultMark?](repeating: nil, count: segments) }
                losses[segment] = mark
                hits.hit(mark)
            }
            // One error is enough for a super-packet, whose segments are sent at once.
            for packet in decision.made where !made.contains(where: { $0.isSameError(as: packet) }) {
                made.append(packet)
            }
        }
        if let pipeline = pipelines[lane] {
            admit(frame, at: position, to: pipeline, now, losing: losses)
        } else {
            deliverAtOnce(frame, lane, losing: losses, now)
        }
        // Last, since `send` overwrites the block that the frame was read into.
        for packet in made { send(packet, about: linkHeader, input, lane, now) }
    }

    /// The bytes of a wire packet from its IP header on.
    private func packetBytes(of frame: StoredFrame, _ segment: Int) -> [UInt8] {
        let (head, tail) = writer.pieces(of: FramePart(frame: frame, first: segment), .none)
        let layout = frame.record.pointee.layout
        let start = VirtioHeader.size + Int(layout.network)
        // Without the padding of a short Ethernet frame.
        let length = frame.countedBytes(segment) - Frame.headerBytes
        var bytes = Array(head[min(start, head.count)...].prefix(length))
        if !tail.isEmpty { bytes += tail.prefix(max(length - bytes.count, 0)) }
        return bytes
    }

    /// In a lane without impairments, drops the wire packets that faults lose, and delivers the others.
    private mutating func deliverAtOnce(_ frame: StoredFrame, _ lane: Lane, losing losses: [FaultMark?], _ now: Int64) {
        guard !losses.isEmpty else { return deliverAtOnce(frame.whole, lane: lane, bytes: frame.wireBytes, now) }
        var part = FramePart(frame: frame, first: 0, count: 0)
        for (segment, loss) in losses.enumerated() {
            if let loss {
                drop(FramePart(frame: frame, first: segment), .fault(loss), lane, due: now)
            } else if part.count > 0, part.first + part.count == segment {
                part.count += 1
            } else {
                if part.count > 0 { deliverAtOnce(part, lane: lane, bytes: part.countedBytes, now) }
                part = FramePart(frame: frame, first: segment)
            }
        }
        if part.count > 0 { deliverAtOnce(part, lane: lane, bytes: part.countedBytes, now) }
    }

    /// Sends a packet that a fault has made, now or later.
    ///
    /// - Parameters:
    ///   - linkHeader: the link-layer header of the packet that the fault responds to.
    ///   - input: the index of the device that this packet came from.
    mutating func send(_ packet: MadePacket, about linkHeader: [UInt8], _ input: Int, _ lane: Lane, _ now: Int64) {
        let goesBack: Lane = lane == .downlink ? .uplink : .downlink
        let lane = packet.isForSender ? goesBack : lane
        guard let target = inputIndex(for: lane, besides: input) else { return }
        // Packets of a device without link-layer headers get the pump's header, which depends on the direction.
        var linkHeader = inputs[target].lacking > 0 ? [] : linkHeader
        if packet.isForSender, !linkHeader.isEmpty, inputs[input].traffic != .loopback {
            linkHeader = Self.reversed(linkHeader)
        }
        let frame = HeldFrames.Frame(
            due: now + packet.delay,
            bytes: linkHeader + packet.bytes,
            input: target,
            lane: lane,
            maker: packet.mark
        )
        guard packet.delay > 0 else { return send(frame, now) }
        if held.add(frame) { counters[lane.rawValue].queued &+= 1 }
    }

    /// The Ethernet header of a packet in the opposite direction.
    static func reversed(_ linkHeader: [UInt8]) -> [UInt8] {
        guard linkHeader.count >= 12 else { return linkHeader }
        var linkHeader = linkHeader
        linkHeader.replaceSubrange(0..<12, with: linkHeader[6..<12] + linkHeader[0..<6])
        // Clears the group bit, with which `prepareReturn` marks the source address of an incoming frame.
        linkHeader[0] &= ~1
        return linkHeader
    }

    /// The index of the device that packets of a lane come from; on loopback, `input`.
    func inputIndex(for lane: Lane, besides input: Int) -> Int? {
        if inputs[input].traffic == .loopback { return input }
        return (0..<inputCount).first { index in
            inputs[index].traffic != .loopback && inputs[index].isDownlink == (lane == .downlink)
        }
    }

    /// Sends frames that were held long enough.
    mutating func releaseHeld() {
        let now = lc_monotonic_time()
        while let frame = held.popDue(at: now) {
            precondition(counters[frame.lane.rawValue].queued > 0, "more packets leave the lane than came")
            counters[frame.lane.rawValue].queued &-= 1
            send(frame, now)
        }
    }

    /// Sends a frame through its lane, as if its device had just sent it.
    ///
    /// A packet to the host needs no mapping of the network's address translator, since it has the host's port already.
    /// A packet from the host is translated when it is written, like any other.
    private mutating func send(_ made: HeldFrames.Frame, _ now: Int64) {
        let input = inputs[made.input]
        guard made.bytes.count <= StoredFrame.frameCapacity - VirtioHeader.size - input.lacking else { return }
        let frame = reading
        (frame.header + input.lacking).storeBytes(of: VirtioHeader(), as: VirtioHeader.self)
        let start = frame.bytes + input.lacking
        made.bytes.withUnsafeBytes { bytes in
            if let first = bytes.baseAddress { start.copyMemory(from: first, byteCount: bytes.count) }
        }
        if input.lacking > 0 { AddedEthernetHeader.put(frame.header, for: input.traffic, input.address) }
        frame.describe(count: VirtioHeader.size + input.lacking + made.bytes.count, input: made.input)
        prepareReturn(frame, made.input)
        frame.record.pointee.maker = made.maker
        frame.record.pointee.arrival = now
        flows.noteEnd(frame.bytes, frame.record.pointee.layout, at: Self.seconds(now))
        counters[made.lane.rawValue].arrived &+= 1
        counters[made.lane.rawValue].arrivedBytes &+= UInt64(frame.wireBytes)
        if let reason = network.loss(of: frame, isDownlink: made.lane == .downlink) {
            return drop(frame, reason, made.lane, now)
        }
        if let pipeline = pipelines[made.lane] {
            admit(frame, at: .unknown, to: pipeline, now)
        } else {
            deliverAtOnce(frame.whole, lane: made.lane, bytes: frame.wireBytes, now)
        }
    }
}
