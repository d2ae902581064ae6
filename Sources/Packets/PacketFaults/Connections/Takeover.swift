// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses
internal import LinkProfiles

/// A connection whose ends no longer speak with each other: a fault speaks with each of them instead, or is silent.
struct Takeover {
    enum Kind: Equatable {
        /// Everything is lost.
        case silent
        /// No end has the connection any more: what comes is answered by RST, as a host without such a socket does.
        case ended
        /// Both ends have got a FIN.
        case closing(isHalf: Bool)
        /// Data that comes is acknowledged with a window of zero.
        case stalled
        /// The opener gets this answer to the first that it sends, and a FIN; nil for an RST. For the other end there is
        /// no connection.
        case serving([UInt8]?)
    }

    /// The packets made for one end.
    struct Side {
        /// The number of the next byte to it.
        var next: TCPSequence
        /// The number of the next byte that it is expected to send.
        var expected: TCPSequence
        /// Whether the connection is gone for it.
        var hasEnded = false
        /// The number of the first byte of the answer; nil before it.
        var answered: TCPSequence?
    }

    let mark: FaultMark
    private(set) var kind: Kind
    /// The direction in which the opener of the connection sends.
    private let opener: Direction
    private var uplink: Side
    private var downlink: Side

    /// The window of an end that reads.
    private static let window: UInt16 = 65_535

    /// Begins at a packet, which neither end has received.
    ///
    /// - Parameter initial: the first number of the fault's side, if the packet opens the connection.
    init(_ kind: Kind, _ mark: FaultMark, at packet: FaultedPacket, opener: Direction, initial: TCPSequence) {
        (self.kind, self.mark, self.opener) = (kind, mark, opener)
        let tcp = packet.tcp
        let own = tcp?.sequence ?? 0
        let other = packet.isOpening ? initial : tcp?.acknowledgment ?? 0
        let sender = Side(next: other, expected: own)
        let receiver = Side(next: own, expected: other)
        (uplink, downlink) = packet.direction == .uplink ? (sender, receiver) : (receiver, sender)
    }

    /// Begins without a packet: both ends have received what the other has sent, or will ask for it.
    init(_ kind: Kind, _ mark: FaultMark, _ connection: OpenConnection) {
        (self.kind, self.mark, opener) = (kind, mark, connection.opener)
        uplink = Side(next: connection.downlinkNumber, expected: connection.uplinkNumber)
        downlink = Side(next: connection.uplinkNumber, expected: connection.downlinkNumber)
    }

    /// The packets made for the side that sends in `direction`, and the data that it has sent.
    private subscript(direction: Direction) -> Side {
        get { direction == .uplink ? uplink : downlink }
        set { if direction == .uplink { uplink = newValue } else { downlink = newValue } }
    }

    // MARK: The first packets

    /// Ends the connection for both, at the packet with which the fault begins.
    func reset(at packet: FaultedPacket) -> [MadePacket] {
        let toSender = refusal(of: packet).map { [$0] } ?? []
        // The other end has received nothing of a connection that is only being opened.
        guard !packet.isOpening, let tcp = packet.tcp else { return toSender }
        let acknowledgment = tcp.flags.contains(.acknowledgment) ? tcp.acknowledgment : nil
        return toSender + [made(toReceiverOf: packet, tcp.sequence, acknowledgment, .reset)]
    }

    /// Sends a FIN to both, at the packet with which the fault begins.
    mutating func close(at packet: FaultedPacket) -> [MadePacket] {
        guard let tcp = packet.tcp, !packet.isOfHandshake else { return reset(at: packet) }
        let direction = packet.direction
        self[direction].expected = tcp.sequence + packet.sequenceLength
        let toSender = reply(to: packet, .fin, window: Self.window)
        let toReceiver = made(toReceiverOf: packet, tcp.sequence, tcp.acknowledgment, .fin, window: Self.window)
        self[direction].next += 1
        self[direction.opposite].next += 1
        return [toSender, toReceiver]
    }

    /// Ends the connection for both by itself, in sequence; as if about a packet of the uplink.
    mutating func end(_ connection: OpenConnection) -> [MadePacket] {
        let isReset = kind == .ended
        func segment(from source: FaultEnd, to destination: FaultEnd, _ side: Side) -> [UInt8] {
            PacketBuilder.segment(
                from: source,
                to: destination,
                side.next,
                acknowledging: side.expected,
                isReset ? .reset : .fin,
                window: isReset ? 0 : Self.window
            )
        }
        let toNear = segment(from: connection.far, to: connection.near, uplink)
        let toFar = segment(from: connection.near, to: connection.far, downlink)
        if !isReset {
            uplink.next += 1
            downlink.next += 1
        }
        return [(toNear, true), (toFar, false)].map { MadePacket(bytes: $0, isForSender: $1, mark: mark) }
    }

    /// Ends the connection for the end that is not the opener, which has opened it before the fault begins.
    func dismissReceiver(of packet: FaultedPacket) -> [MadePacket] {
        guard !packet.isOpening, let tcp = packet.tcp else { return [] }
        return [made(toReceiverOf: packet, tcp.sequence, tcp.acknowledgment, .reset)]
    }

    // MARK: Every packet

    /// Answers a packet, which is lost.
    mutating func answer(_ packet: FaultedPacket) -> [MadePacket] {
        guard packet.tcp != nil, kind != .silent else { return [] }
        guard !packet.isReset else {
            self[packet.direction].hasEnded = true
            return []
        }
        if self[packet.direction].hasEnded { return refusal(of: packet).map { [$0] } ?? [] }
        switch kind {
        case .silent: return []
        case .ended: return refusal(of: packet).map { [$0] } ?? []
        case .closing(let isHalf): return answerClosing(packet, isHalf: isHalf)
        case .stalled: return answerStalled(packet)
        case .serving(let content):
            guard packet.direction == opener else { return refusal(of: packet).map { [$0] } ?? [] }
            return serve(packet, content)
        }
    }

    private mutating func answerClosing(_ packet: FaultedPacket, isHalf: Bool) -> [MadePacket] {
        let direction = packet.direction
        let isNew = accept(packet)
        if !packet.data.isEmpty, isNew, !isHalf {
            self[direction].hasEnded = true
            return refusal(of: packet).map { [$0] } ?? []
        }
        // The FIN may have been lost.
        if let tcp = packet.tcp, tcp.acknowledgment.isBefore(self[direction].next) {
            return [reply(to: packet, .fin, window: Self.window, from: self[direction].next - 1)]
        }
        return packet.sequenceLength > 0 ? [reply(to: packet, [], window: Self.window)] : []
    }

    private mutating func answerStalled(_ packet: FaultedPacket) -> [MadePacket] {
        if packet.isOpening { return [acceptance(of: packet, window: 0)] }
        // A probe of the window has an old number.
        let isProbe = packet.tcp.map { $0.sequence.isBefore(self[packet.direction].expected) } ?? false
        _ = accept(packet)
        return packet.sequenceLength > 0 || isProbe ? [reply(to: packet, [], window: 0)] : []
    }

    private mutating func serve(_ packet: FaultedPacket, _ content: [UInt8]?) -> [MadePacket] {
        if packet.isOpening { return [acceptance(of: packet, window: Self.window)] }
        let direction = packet.direction
        _ = accept(packet)
        guard !packet.data.isEmpty || self[direction].answered != nil else {
            return packet.sequenceLength > 0 ? [reply(to: packet, [], window: Self.window)] : []
        }
        guard let content else {
            self[direction].hasEnded = true
            return refusal(of: packet).map { [$0] } ?? []
        }
        let isFirst = self[direction].answered == nil
        let first = self[direction].answered ?? self[direction].next
        if isFirst {
            self[direction].answered = first
            self[direction].next = first + content.count + 1
        }
        if let tcp = packet.tcp, isFirst || tcp.acknowledgment.isBefore(self[direction].next) {
            return [reply(to: packet, [.push, .fin], window: Self.window, from: first, content)]
        }
        return packet.sequenceLength > 0 ? [reply(to: packet, [], window: Self.window)] : []
    }

    /// Notes what a packet brings that follows what came before; false if it brings nothing new.
    private mutating func accept(_ packet: FaultedPacket) -> Bool {
        guard let tcp = packet.tcp else { return false }
        let expected = self[packet.direction].expected
        let end = tcp.sequence + packet.sequenceLength
        guard !expected.isBefore(tcp.sequence), expected.isBefore(end) else { return false }
        self[packet.direction].expected = end
        return true
    }

    // MARK: What is sent

    /// SYN with ACK, to the sender of a SYN; the same for one that is sent again.
    private mutating func acceptance(of packet: FaultedPacket, window: UInt16) -> MadePacket {
        let direction = packet.direction
        let number = packet.tcp?.sequence ?? 0
        if self[direction].expected == number {
            self[direction].expected = number + 1
            self[direction].next += 1
        }
        let size: UInt16 = packet.ip.source.family == .ipv6 ? 1440 : 1460
        let first = self[direction].next - 1
        return reply(to: packet, .syn, window: window, from: first, options: [2, 4] + size.bytes)
    }

    /// The answer of a host that has no such connection (RFC 9293, section 3.10.7.1); nil to an RST.
    private func refusal(of packet: FaultedPacket) -> MadePacket? { Self.refusal(of: packet, mark) }

    static func refusal(of packet: FaultedPacket, _ mark: FaultMark) -> MadePacket? {
        guard let tcp = packet.tcp, !packet.isReset else { return nil }
        let hasNumber = tcp.flags.contains(.acknowledgment)
        let bytes = PacketBuilder.segment(
            from: packet.destination,
            to: packet.source,
            hasNumber ? tcp.acknowledgment : 0,
            acknowledging: hasNumber ? nil : tcp.sequence + packet.sequenceLength,
            .reset
        )
        return MadePacket(bytes: bytes, isForSender: true, mark: mark)
    }

    /// A segment to the sender of a packet, in the name of its receiver.
    private func reply(
        to packet: FaultedPacket,
        _ flags: TCPHeader.Flags,
        window: UInt16,
        from sequence: TCPSequence? = nil,
        options: [UInt8] = [],
        _ data: [UInt8] = []
    ) -> MadePacket {
        let side = self[packet.direction]
        let bytes = PacketBuilder.segment(
            from: packet.destination,
            to: packet.source,
            sequence ?? side.next,
            acknowledging: side.expected,
            flags,
            window: window,
            options: options,
            data
        )
        return MadePacket(bytes: bytes, isForSender: true, mark: mark)
    }

    /// A segment to the receiver of a packet, in the name of its sender.
    private func made(
        toReceiverOf packet: FaultedPacket,
        _ sequence: TCPSequence,
        _ acknowledgment: TCPSequence?,
        _ flags: TCPHeader.Flags,
        window: UInt16 = 0
    ) -> MadePacket {
        let bytes = PacketBuilder.segment(
            from: packet.source,
            to: packet.destination,
            sequence,
            acknowledging: acknowledgment,
            flags,
            window: window
        )
        return MadePacket(bytes: bytes, isForSender: false, mark: mark)
    }
}

extension Direction {
    var opposite: Direction { self == .uplink ? .downlink : .uplink }
}
