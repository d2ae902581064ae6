// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses
internal import LinkEmulation
internal import LinkProfiles

/// Carries out a fault's action on a packet that the fault matches.
struct FaultActor {
    private let fault: Fault
    private let mark: FaultMark
    private let seed: UInt64

    init(_ fault: Fault, _ mark: FaultMark, seed: UInt64) { (self.fault, self.mark, self.seed) = (fault, mark, seed) }

    /// Whether an action is possible for a packet: some packets, such as an RST, must not be answered.
    static func canAct(_ action: FaultAction, on context: FaultContext) -> Bool {
        let packet = context.packet
        switch action {
        case .lose, .loseFromHere: return true
        case .refuse(.reset): return packet.tcp != nil && !packet.isReset
        case .refuse(.packetTooBig): return packet.mayBeRefused && packet.isUnfragmentable
        case .refuse: return packet.mayBeRefused
        case .reset, .close, .halfClose, .stall: return packet.tcp != nil && !packet.isReset
        case .answer, .hold: return context.query != nil
        case .portal: return packet.tcp != nil && packet.direction == .uplink && !packet.isReset
        }
    }

    func act(on context: FaultContext, _ connection: inout FaultConnection) -> FaultDecision {
        let packet = context.packet
        switch fault.action {
        case .lose: return lost()
        case .loseFromHere:
            connection.takeover = takeover(.silent, connection, packet)
            return lost()
        case .refuse(let refusal): return lost(refuse(packet, refusal))
        case .reset:
            let takeover = takeover(.ended, connection, packet)
            connection.takeover = takeover
            return lost(takeover.reset(at: packet))
        case .close, .halfClose:
            var takeover = takeover(.closing(isHalf: fault.action == .halfClose), connection, packet)
            let made = takeover.close(at: packet)
            // A connection that is still being opened cannot be closed: it is reset.
            connection.takeover = packet.isOfHandshake ? self.takeover(.ended, connection, packet) : takeover
            return lost(made)
        case .stall:
            var takeover = takeover(.stalled, connection, packet)
            let made = takeover.answer(packet)
            connection.takeover = takeover
            return lost(made)
        case .hold(let time):
            let held = MadePacket(
                bytes: PacketBuilder.completed(packet),
                isForSender: false,
                mark: mark,
                delay: time.nanoseconds
            )
            return lost([held])
        case .answer(let answer): return lost(self.answer(answer, context, &connection))
        case .portal(let address):
            return serve(packet.far.port == 80 ? Self.redirection(to: address) : nil, packet, &connection)
        }
    }

    private func lost(_ made: [MadePacket] = []) -> FaultDecision { FaultDecision(loss: mark, made: made) }

    private func takeover(_ kind: Takeover.Kind, _ connection: FaultConnection, _ packet: FaultedPacket) -> Takeover {
        // The initial sequence number: different for each connection, but the same in each run with this seed.
        let initial = SplitMix64.value(seed: seed, index: UInt64(packet.tcp?.sequence.number ?? 0))
        return Takeover(
            kind,
            mark,
            at: packet,
            opener: connection.opener,
            initial: TCPSequence(UInt32(truncatingIfNeeded: initial))
        )
    }

    private func refuse(_ packet: FaultedPacket, _ refusal: FaultAction.Refusal) -> [MadePacket] {
        let isIPv6 = packet.ip.source.family == .ipv6
        let (type, code): (UInt8, UInt8)
        switch refusal {
        case .reset: return Takeover.refusal(of: packet, mark).map { [$0] } ?? []
        case .net: (type, code) = isIPv6 ? (1, 0) : (3, 0)
        case .host: (type, code) = isIPv6 ? (1, 3) : (3, 1)
        case .port: (type, code) = isIPv6 ? (1, 4) : (3, 3)
        // RFC 1812, section 5.2.7.1.
        case .prohibited: (type, code) = isIPv6 ? (1, 1) : (3, 13)
        case .packetTooBig: (type, code) = isIPv6 ? (2, 0) : (3, 4)
        }
        let limit = refusal == .packetTooBig ? fault.match.larger ?? 0 : 0
        let bytes = PacketBuilder.error(type, code, about: packet, limit: limit)
        return [MadePacket(bytes: bytes, isForSender: true, mark: mark)]
    }

    private func answer(
        _ answer: DNSFaultAnswer,
        _ context: FaultContext,
        _ connection: inout FaultConnection
    ) -> [MadePacket] {
        let packet = context.packet
        guard let message = context.query?.answer(answer) else { return [] }
        if packet.tcp != nil {
            let length = UInt16(truncatingIfNeeded: message.count).bytes
            return serve(length + message, packet, &connection).made
        }
        let bytes = PacketBuilder.datagram(from: packet.destination, to: packet.source, message)
        return [MadePacket(bytes: bytes, isForSender: true, mark: mark)]
    }

    /// Takes the connection over from this packet on: answers its opener with `content`, and resets it for the other
    /// end.
    private func serve(
        _ content: [UInt8]?,
        _ packet: FaultedPacket,
        _ connection: inout FaultConnection
    ) -> FaultDecision {
        var takeover = takeover(.serving(content), connection, packet)
        let made = takeover.answer(packet)
        connection.takeover = takeover
        return lost(made + takeover.dismissReceiver(of: packet))
    }

    private static func redirection(to address: String) -> [UInt8] {
        let lines = [
            "HTTP/1.1 302 Found", "Location: \(address)", "Content-Length: 0", "Cache-Control: no-store",
            "Connection: close", "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
