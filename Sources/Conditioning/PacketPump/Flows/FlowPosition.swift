// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkEmulation

/// The position of a frame's packets in their flow, which selects their random numbers in a lane.
///
/// | packet | its index |
/// |---|---|
/// | TCP with payload, SYN or FIN | the offset of its first byte in the stream, from the SYN of its side (0) |
/// | the same, sent again | the offset, and how often something was sent again there |
/// | TCP that only acknowledges | what it acknowledges, as an offset in the other side's stream, and how often before |
/// | RST | how many of the side came before |
/// | anything else | how many packets of the flow and direction came before |
///
/// So neither a repetition nor a delayed acknowledgement decides about the packets after it, and how writes are cut into
/// segments matters only where it moves a segment's first byte.
struct FlowPosition {
    /// The state of the flow; nil if there is none, as for a later fragment without the first.
    fileprivate var state: UnsafeMutablePointer<FlowState>?
    fileprivate var kind = PacketIndex.Place.count
    fileprivate var fromOpener = false
    /// The offset, or the number of packets before.
    fileprivate var first: UInt32 = 0
    /// The step from one wire packet of a super-packet to the next.
    fileprivate var step: UInt32 = 1
    /// The offset from which on nothing was sent when the frame arrived; or how often the same was acknowledged before.
    fileprivate var bound: UInt32 = 0

    static var unknown: FlowPosition { FlowPosition() }

    private init() {}

    /// Numbers the wire packets of a frame, and remembers them in the flow's state.
    ///
    /// - Parameter segmentSize: the payload of each but the last, if there are several.
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
            state.pointee.place(&self, start, layout)
        } else {
            first = state.pointee.count(UInt32(truncatingIfNeeded: segments), fromOpener)
        }
    }

    /// The index of a wire packet; nil if only its order in the lane tells it from others. To be asked once for each
    /// packet, since repetitions are counted.
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

    /// The seed of the random numbers of the packet's later fragments, which are a flow of their own.
    var fragments: UInt64 { PacketIndex.fragments(first, flow: state?.pointee.flow ?? 0) }
}

/// The state of a flow, by which its packets are numbered. All zeros is a flow without packets.
struct FlowState {
    /// The packets of one side.
    private struct Side {
        /// Whether `base` is known.
        var isKnown = false
        /// Whether it has sent a FIN, or either side an RST.
        var hasEnded = false
        /// The number of packets that acknowledged nothing new.
        var repeatedAcknowledgements: UInt16 = 0
        /// The initial sequence number.
        var base: TCPSequence = 0
        /// The offset from which on nothing was sent, or the number of packets.
        var next: UInt32 = 0
        /// The offset in the other side's stream that packets without payload acknowledged.
        var acknowledged: UInt32 = 0
        /// Eight counters of repetitions, by their offsets: a packet is not lost each time that it is sent again, and
        /// offsets that share a counter only change each other's repetitions.
        var repetitions: UInt64 = 0
    }

    private static let fin: UInt8 = 0x01
    private static let syn: UInt8 = 0x02
    private static let rst: UInt8 = 0x04

    /// Selects the random numbers of the flow. Of the state about two ends, the number of flows between them.
    var flow: UInt64
    /// The table's count of packets when the flow began.
    var start: UInt32 = 0
    private var opener = Side()
    private var other = Side()

    init(flow: UInt64, start: UInt32 = 0) { (self.flow, self.start) = (flow, start) }

    /// The numbers of the next bytes that the opener and the other end of a TCP connection send; nil if it is not open.
    var openNumbers: (opener: TCPSequence, other: TCPSequence)? {
        guard opener.isKnown, other.isKnown, !opener.hasEnded || !other.hasEnded else { return nil }
        // Acknowledged data was sent, even if before the first packet that was seen.
        func next(_ side: Side, _ peer: Side) -> TCPSequence {
            let (sent, acknowledged) = (side.base + Int(side.next), side.base + Int(peer.acknowledged))
            return sent.isBefore(acknowledged) ? acknowledged : sent
        }
        return (next(opener, other), next(other, opener))
    }

    /// Notes the end of one side, or of both.
    mutating func end(fromOpener: Bool, isReset: Bool) {
        if isReset || fromOpener { opener.hasEnded = true }
        if isReset || !fromOpener { other.hasEnded = true }
    }

    /// Whether the opener's SYN had this sequence number.
    func beganWith(_ sequence: TCPSequence) -> Bool { opener.isKnown && opener.base == sequence }

    /// Counts packets; returns how many came before.
    fileprivate mutating func count(_ packets: UInt32, _ fromOpener: Bool) -> UInt32 {
        func add(_ side: inout Side) -> UInt32 {
            side.next &+= packets
            return side.next &- packets
        }
        return fromOpener ? add(&opener) : add(&other)
    }

    /// The number of transmissions at `offset`, this packet included; at least 1.
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

    /// Finds the place of a TCP packet in the stream of its side.
    fileprivate mutating func place(_ position: inout FlowPosition, _ start: UnsafeRawPointer, _ layout: FrameLayout) {
        let header = Int(layout.transport)
        let flags = start.byte(header + 13)
        // The RST of a refused connection has no sequence number of its side.
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
        func place(_ sender: inout Side, _ receiver: inout Side) {
            // With SYN cookies, a repeated SYN may have another number.
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
        if position.fromOpener { place(&opener, &other) } else { place(&other, &opener) }
    }
}
