// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses
internal import LinkEmulation
internal import LinkProfiles

extension Fault {
    /// The ports of a captive portal.
    private static let portalPorts: Set<UInt16> = [80, 443]

    /// Whether the fault may match packets between these ends: the result is the same for all packets of a connection.
    func concerns(_ ends: FaultConnection.Ends) -> Bool {
        if let version = match.version, version != ends.near.address.family { return false }
        if let only = action.onlyProtocol, ends.protocol != only { return false }
        if case .portal = action, !Self.portalPorts.contains(ends.far.port) { return false }
        return match.ends.kinds(of: ends).allSatisfy { $0 ?? true } && !match.exclusions.kinds(of: ends).contains(true)
    }
}

extension FaultMatch.Ends {
    /// Whether the ends match each restriction: remotes, ports and protocols; nil for a restriction that is not set.
    fileprivate func kinds(of ends: FaultConnection.Ends) -> [Bool?] {
        let isRemote = remotes.contains { remote in
            if case .prefix(let prefix) = remote { prefix.contains(ends.far.address) } else { false }
        }
        // Packets without ports have port 0, which no rule can name.
        let isPort = ports.contains(ends.near.port) || ports.contains(ends.far.port)
        let isProtocol = ends.protocol.map(protocols.contains) ?? false
        return [
            remotes.isEmpty ? nil : isRemote, ports.isEmpty ? nil : isPort, protocols.isEmpty ? nil : isProtocol,
        ]
    }
}

extension FaultMatch.PacketKind {
    /// Whether this kind is a TLS ClientHello, which may span several packets.
    var isHello: Bool { if case .tlsHello = self { true } else { false } }
}

extension FaultMatch {
    /// Whether the match holds for a packet. Ordinals (`holds(number:)`) and chance (`happens`) are checked separately,
    /// since ordinals count the packets for which this is true.
    func holds(_ context: FaultContext, _ connection: FaultConnection, _ candidate: FaultConnection.Candidate) -> Bool {
        let packet = context.packet
        if let direction, direction != packet.direction { return false }
        if let ordinal = self.connection, !ordinal.contains(candidate.connectionNumber) { return false }
        switch after {
        case .bytes(let count): guard connection.payload >= count.bytes else { return false }
        case .time(let time): guard context.now - connection.opened >= time.nanoseconds else { return false }
        case .idle(let time): guard connection.silence >= time.nanoseconds else { return false }
        case nil: break
        }
        if let larger, packet.bytes.count <= larger { return false }
        if name != nil || recordType != nil {
            guard let query = context.query else { return false }
            if let name, !name.matches(query.name) { return false }
            if let recordType, recordType.rawValue != query.type { return false }
        }
        switch self.packet {
        case .syn: return packet.isOpening
        case .quicInitial: return packet.transport == .udp && QUICHeader.isInitial(packet.data)
        case .tlsHello(let name): return context.hello.map { name.matches($0) } ?? false
        case .ordinal, .every, nil: return true
        }
    }

    /// Whether the match can hold for a later packet of the connection than `packet`.
    func canHold(
        later candidate: FaultConnection.Candidate,
        _ connection: FaultConnection,
        _ packet: FaultedPacket
    ) -> Bool {
        if let ordinal = self.connection, !ordinal.contains(candidate.connectionNumber) { return false }
        if name != nil || recordType != nil, packet.far.port != DNSQueryView.port { return false }
        switch self.packet {
        case .quicInitial: return packet.transport == .udp
        case .tlsHello: return packet.transport == .tcp && connection.hello != nil
        case .ordinal(.nth(let count)), .ordinal(.first(let count)): return candidate.matched < count
        case .syn, .ordinal(.afterTheFirst), .every, nil: return true
        }
    }

    /// Whether the match includes the packet with this ordinal among the connection's matching packets.
    func holds(number: Int) -> Bool {
        switch packet {
        case .ordinal(let ordinal): ordinal.contains(number)
        case .every(let count): number % count == 0
        default: true
        }
    }

    /// Whether chance selects the packet: with the match's probability, by a random number from the seed, the fault's
    /// index and the ordinals of the connection and the packet.
    func happens(_ seed: UInt64, _ fault: Int, connection: Int, packet: Int) -> Bool {
        guard let probability, probability < .one else { return true }
        var value = SplitMix64.value(seed: seed, index: Self.sequence)
        for index in [fault, connection, packet] { value = SplitMix64.value(seed: value, index: UInt64(index)) }
        return Double(value >> 11) < probability.fraction * 0x1p53
    }

    /// The index of the faults' random sequence, which differs from the sequences of lanes.
    private static let sequence: UInt64 = 0x6661_756C_7473
}
