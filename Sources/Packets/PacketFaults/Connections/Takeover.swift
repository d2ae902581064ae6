// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses
internal import LinkProfiles

/// A connection that a fault has taken over: packets no longer pass between its ends. The fault answers each end in the
/// name of the other, or drops everything.
struct Takeover {
    enum Kind: Equatable {
        /// All packets are dropped, without an answer.
        case silent
        /// The connection is reset at both ends: each further packet is answered by RST, as by a host without such a
        /// socket.
        case ended
        /// Each end was sent a FIN. Unless `isHalf`, data that an end sends afterwards is answered by RST.
        case closing(isHalf: Bool)
        /// Data is acknowledged with a window of zero.
        case stalled
        /// The opener's first data is answered by these bytes and a FIN, or by an RST if nil. Packets of the other end
        /// are answered by RST.
        case serving([UInt8]?)
    }

    /// The fault's TCP state toward one end.
    struct Side {
        /// The sequence number of the next byte that is sent to this end.
        var next: TCPSequence
        /// The sequence number of the next byte that this end is expected to send.
        var expected: TCPSequence
        /// Whether the connection has ended for this end, by an RST to it or from it.
        var hasEnded = false
        /// The sequence number of the answer's first byte; nil until the answer is sent.
        var answered: TCPSequence?
    }

    let mark: FaultMark
    private(set) var kind: Kind
    /// The direction in which the opener of the connection sends.
    private let opener: Direction
    private var uplink: Side
    private var downlink: Side

    /// The window in segments that imitate an end that reads its data.
    private static let window: UInt16 = 65_535

    /// Takes a connection over at a packet, which its receiver does not get.
    ///
    /// - Parameter initial: the fault's initial sequence number toward the packet's sender, if the packet opens the
    /// connection.
    init(_ kind: Kind, _ mark: FaultMark, at packet: FaultedPacket, opener: Direction, initial: TCPSequence) {
        (self.kind, self.mark, self.opener) = (kind, mark, opener)
        let tcp = packet.tcp
        let own = tcp?.sequence ?? 0
        let other = packet.isOpening ? initial : tcp?.acknowledgment ?? 0
        let sender = Side(next: other, expected: own)
        let receiver = Side(next: own, expected: other)
        (uplink, downlink) = packet.direction == .uplink ? (sender, receiver) : (receiver, sender)
    }

    /// Takes a connection over without a packet. Each end has received what the other has sent, or expects its
    /// retransmission.
    init(_ kind: Kind, _ mark: FaultMark, _ connection: OpenConnection) {
        (self.kind, self.mark, opener) = (kind, mark, connection.opener)
        uplink = Side(next: connection.downlinkNumber, expected: connection.uplinkNumber)
        downlink = Side(next: connection.uplinkNumber, expected: connection.downlinkNumber)
    }

    /// The state toward the end that sends in `direction`.
    private subscript(direction: Direction) -> Side {
        get { direction == .uplink ? uplink : downlink }
        set { if direction == .uplink { uplink = newValue } else { downlink = newValue } }
    }

    // MARK: The first packets

    /// Makes the RSTs that end the connection for both ends, at the packet that the fault matched.
    func reset(at packet: FaultedPacket) -> [MadePacket] {
        let toSender = refusal(of: packet).map { [$0] } ?? []
        // The SYN is lost, so the other end does not know the connection yet.
        guard !packet.isOpening, let tcp = packet.tcp else { return toSender }
        let acknowledgment = tcp.flags.contains(.acknowledgment) ? tcp.acknowledgment : nil
        return toSender + [made(toReceiverOf: packet, tcp.sequence, acknowledgment, .reset)]
    }

    /// Makes a FIN to each end, at the packet that the fault matched, and counts both in the sequence numbers.
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

    /// Makes an RST or a FIN to each end without a packet to answer, at the next sequence numbers. `isForSender` of the
    /// results means the near end, as if they answered a packet of the uplink.
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

    /// Makes an RST to the receiver of the opener's packet, which has accepted the connection before the fault began;
    /// nothing if the packet is the SYN.
    func dismissReceiver(of packet: FaultedPacket) -> [MadePacket] {
        guard !packet.isOpening, let tcp = packet.tcp else { return [] }
        return [made(toReceiverOf: packet, tcp.sequence, tcp.acknowledgment, .reset)]
    }

    // MARK: Every packet

    /// Makes the answers to a packet of a taken-over connection, and updates the state of its sender. The packet itself
    /// is lost.
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
        // The FIN is not acknowledged and may have been lost: retransmits it.
        if let tcp = packet.tcp, tcp.acknowledgment.isBefore(self[direction].next) {
            return [reply(to: packet, .fin, window: Self.window, from: self[direction].next - 1)]
        }
        return packet.sequenceLength > 0 ? [reply(to: packet, [], window: Self.window)] : []
    }

    private mutating func answerStalled(_ packet: FaultedPacket) -> [MadePacket] {
        if packet.isOpening { return [acceptance(of: packet, window: 0)] }
        // A zero-window probe has an old sequence number.
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

    /// Advances the sender's `expected` number by a packet's data if it is the next in sequence; false if it brings no
    /// new data.
    private mutating func accept(_ packet: FaultedPacket) -> Bool {
        guard let tcp = packet.tcp else { return false }
        let expected = self[packet.direction].expected
        let end = tcp.sequence + packet.sequenceLength
        guard !expected.isBefore(tcp.sequence), expected.isBefore(end) else { return false }
        self[packet.direction].expected = end
        return true
    }

    // MARK: What is sent

    /// Makes the SYN-ACK to the sender of a SYN; a retransmitted SYN gets the same one.
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

    /// The RST by which a host without such a connection answers (RFC 9293, section 3.10.7.1); nil if the packet is an
    /// RST.
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
