// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkEmulation

/// The position of a frame's packets in their flow, which selects their random numbers in a lane.
///
/// | packet | its index |
/// |---|---|
/// | TCP with payload, SYN or FIN | the offset of its first byte in the stream, from the SYN of its side (0) |
/// | a retransmission of these | the offset, and the number of retransmissions at that offset |
/// | TCP with only an ACK | the acknowledged offset in the other side's stream, and the number of ACKs for it before |
/// | RST | the number of RSTs from its side so far |
/// | anything else | the number of packets of its flow and direction before it |
///
/// So neither a retransmission nor a delayed acknowledgement changes the random numbers of later packets, and the way
/// in which writes are cut into segments matters only if it changes a segment's first byte.
struct FlowPosition {
    /// The state of the flow; nil if the flow is unknown, as for a later fragment whose first fragment was not seen.
    fileprivate var state: UnsafeMutablePointer<FlowState>?
    fileprivate var kind = PacketIndex.Unit.count
    fileprivate var fromOpener = false
    /// The first wire packet's offset in the stream, or the number of packets before it.
    fileprivate var first: UInt32 = 0
    /// The step from one wire packet of a super-packet to the next.
    fileprivate var step: UInt32 = 1
    /// The offset after the data sent before this frame; for an acknowledgement, how often it was sent before.
    fileprivate var bound: UInt32 = 0

    static var unknown: FlowPosition { FlowPosition() }

    private init() {}

    /// Numbers the wire packets of a frame, and updates the flow's state.
    ///
    /// - Parameter segmentSize: the bytes of payload in each wire packet but the last, if there are several.
    @inline(__always) init(
        _ start: UnsafeRawPointer,
        _ layout: FrameLayout,
        _ state: UnsafeMutablePointer<FlowState>,
        fromOpener: Bool,
        segments: Int = 1,
        segmentSize: Int = 0
    ) {
        self.state = state
        self.fromOpener = fromOpener
        if layout.kind == .tcp, layout.transport > 0 {
            step = UInt32(truncatingIfNeeded: segmentSize)
            state.pointee.setPosition(&self, start, layout)
        } else {
            first = state.pointee.count(UInt32(truncatingIfNeeded: segments), fromOpener)
        }
    }

    /// Returns the index of a wire packet, and counts its repetition; nil if only the order in the lane identifies it.
    /// Call it once for each packet.
    @inline(__always) func index(_ segment: Int) -> UInt64? {
        guard let state else { return nil }
        let offset = first &+ UInt32(truncatingIfNeeded: segment) &* step
        let repetition =
            switch kind {
            case .count: UInt16(0)
            case .acknowledgement: UInt16(truncatingIfNeeded: bound)
            case .reset: state.pointee.repetitions(at: 0, fromOpener)
            case .bytes:
                TCPSequence(offset).isBefore(TCPSequence(bound)) ? state.pointee.repetitions(at: offset, fromOpener) : 0
            }
        return PacketIndex.packet(
            kind,
            offset,
            repetition: repetition,
            isAnswer: !fromOpener,
            flow: state.pointee.flow
        )
    }

    /// Tells the flow apart in queues that have one for each.
    var mark: UInt16 { UInt16(truncatingIfNeeded: state?.pointee.flow ?? 0) }

    /// The seed of the random numbers of the packet's later fragments, which count as a separate flow.
    var fragments: UInt64 { PacketIndex.fragments(first, flow: state?.pointee.flow ?? 0) }
}

/// The state of a flow, from which its packets get their numbers. All zeros: a flow without packets.
struct FlowState {
    /// The packets of one side.
    private struct Side {
        /// Whether `base` is known.
        var isKnown = false
        /// Whether this side has sent a FIN, or either side an RST.
        var hasEnded = false
        /// The number of packets that acknowledged nothing new.
        var repeatedAcknowledgements: UInt16 = 0
        /// The initial sequence number.
        var base: TCPSequence = 0
        /// The offset after the last byte sent; for flows other than TCP, the number of packets.
        var next: UInt32 = 0
        /// The offset in the other side's stream that packets without payload acknowledged.
        var acknowledged: UInt32 = 0
        /// Eight counters of retransmissions, selected by the offset's hash, so that a lost packet's retransmission
        /// gets other random numbers. Offsets that share a counter only change the numbers of each other's
        /// retransmissions.
        var repetitions: UInt64 = 0
    }

    private static let fin: UInt8 = 0x01
    private static let syn: UInt8 = 0x02
    private static let rst: UInt8 = 0x04

    /// The seed of the flow's random numbers. In the state of a pair of ends, the number of earlier flows between them.
    var flow: UInt64
    /// The table's count of packets when the flow began.
    var start: UInt32 = 0
    private var opener = Side()
    private var other = Side()

    init(flow: UInt64, start: UInt32 = 0) { (self.flow, self.start) = (flow, start) }

    /// The sequence numbers of the next bytes from the opener and from the other end of a TCP connection; nil if it is
    /// not open.
    var openNumbers: (opener: TCPSequence, other: TCPSequence)? {
        guard opener.isKnown, other.isKnown, !opener.hasEnded || !other.hasEnded else { return nil }
        // Acknowledged data has been sent, perhaps before the first packet that was seen.
        func next(_ side: Side, _ peer: Side) -> TCPSequence {
            let (sent, acknowledged) = (side.base + Int(side.next), side.base + Int(peer.acknowledged))
            return sent.isBefore(acknowledged) ? acknowledged : sent
        }
        return (next(opener, other), next(other, opener))
    }

    /// Notes that one side has ended its stream, or that an RST has ended both.
    mutating func end(fromOpener: Bool, isReset: Bool) {
        if isReset || fromOpener { opener.hasEnded = true }
        if isReset || !fromOpener { other.hasEnded = true }
    }

    /// Whether the opener's SYN had this sequence number.
    func beganWith(_ sequence: TCPSequence) -> Bool { opener.isKnown && opener.base == sequence }

    /// Counts packets of one side; returns the number before them.
    fileprivate mutating func count(_ packets: UInt32, _ fromOpener: Bool) -> UInt32 {
        func add(_ side: inout Side) -> UInt32 {
            side.next &+= packets
            return side.next &- packets
        }
        return fromOpener ? add(&opener) : add(&other)
    }

    /// Counts a retransmission at `offset`, or an RST; returns their number so far, at least 1.
    fileprivate mutating func repetitions(at offset: UInt32, _ fromOpener: Bool) -> UInt16 {
        // All bits of the offset change the product's highest ones.
        let shift = UInt64((offset &* 0x9E37_79B1) >> 29) &* 8
        func count(_ side: inout Side) -> UInt16 {
            let before = side.repetitions >> shift & 0xFF
            let after = before == 0xFF ? 1 : before + 1
            side.repetitions = side.repetitions & ~(0xFF << shift) | after << shift
            return UInt16(truncatingIfNeeded: after)
        }
        return fromOpener ? count(&opener) : count(&other)
    }

    /// Sets the position of a TCP packet in its side's stream, and updates the state of both sides.
    fileprivate mutating func setPosition(
        _ position: inout FlowPosition,
        _ start: UnsafeRawPointer,
        _ layout: FrameLayout
    ) {
        let header = Int(layout.transport)
        let flags = start.byte(header + 13)
        // The sequence number of an RST that refuses a connection is not in its side's stream.
        if flags & (Self.rst | Self.fin) != 0 { end(fromOpener: position.fromOpener, isReset: flags & Self.rst != 0) }
        guard flags & Self.rst == 0 else {
            (position.kind, position.step) = (.reset, 0)
            return
        }
        let sequence = TCPSequence(start.long(header + 4))
        let acknowledged = TCPSequence(start.long(header + 8))
        var length = UInt32(truncatingIfNeeded: layout.end &- Int(layout.payload))
        if flags & Self.fin != 0 { length &+= 1 }
        let isSYN = flags & Self.syn != 0
        if isSYN { length &+= 1 }
        func setPosition(_ sender: inout Side, _ receiver: inout Side) {
            // With SYN cookies, a retransmitted SYN may have another number.
            if isSYN || !sender.isKnown { (sender.base, sender.isKnown) = (sequence, true) }
            if length > 0 {
                position.kind = .bytes
                position.first = sequence.offset(from: sender.base)
                position.bound = sender.next
                let end = position.first &+ length
                if TCPSequence(sender.next).isBefore(TCPSequence(end)) { sender.next = end }
            } else {
                if !receiver.isKnown { (receiver.base, receiver.isKnown) = (acknowledged, true) }
                position.kind = .acknowledgement
                position.first = acknowledged.offset(from: receiver.base)
                if TCPSequence(sender.acknowledged).isBefore(TCPSequence(position.first)) {
                    (sender.acknowledged, sender.repeatedAcknowledgements) = (position.first, 0)
                } else {
                    sender.repeatedAcknowledgements &+= 1
                }
                position.bound = UInt32(sender.repeatedAcknowledgements)
            }
        }
        if position.fromOpener { setPosition(&opener, &other) } else { setPosition(&other, &opener) }
    }
}
