// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkProfiles

/// The reach of a fault: how often it happens.
enum FaultReach {
    /// To one connection, by its number from 1 on.
    case once(Int)
    /// To all for a time, after which all is well.
    case forATime
    /// To all connections.
    case always

    /// The place of the only connection; nil if it happens to more.
    var number: Int? { if case .once(let number) = self { number } else { nil } }
}

/// Draws faults of what a client was seen to do.
extension RandomDraws {
    /// A fault of the kind; nil if the client does nothing that it could happen to.
    mutating func fault(_ kind: DisturbanceKind, _ reach: FaultReach, _ client: ObservedClient) -> Disturbance.Effect? {
        var match = FaultMatch()
        let action: FaultAction
        let servers = client.servers.filter { $0.transport == .tcp && $0.connections >= reach.number ?? 1 }
        switch kind {
        case .failingDNS:
            guard aimAtName(&match, client) else { return nil }
            action = .answer(pick([.nameError, .serverFailure, .refused, .empty]) ?? .serverFailure)
        case .silentDNS:
            guard aimAtName(&match, client) else { return nil }
            action = .lose
        case .lostDatagrams, .refusedDatagrams:
            guard aim(&match, at: client.servers.filter { $0.transport == .udp }) != nil else { return nil }
            action = kind == .lostDatagrams ? .lose : .refuse(.port)
        case .largePackets:
            match.larger = pick([1280, 1400, 576])
            action = .lose
        case .refusal, .unreachable, .lostOpening:
            guard aim(&match, at: servers) != nil else { return nil }
            match.packet = .syn
            action =
                kind == .refusal
                ? .refuse(.reset) : kind == .lostOpening ? .lose : .refuse(pick([.host, .net, .prohibited]) ?? .host)
        case .stalledHandshake:
            guard aim(&match, at: servers.filter(\.hasTLS)) != nil else { return nil }
            match.packet = NamePattern("*").map { .tlsHello($0) }
            action = .stall
        case .reset, .close, .halfClose, .stall, .silence:
            guard let server = aim(&match, at: servers) else { return nil }
            if reach.number != nil { aimAtAnswer(&match, server) } else { match.after = progress(server) }
            let actions: [DisturbanceKind: FaultAction] = [
                .reset: .reset, .close: .close, .halfClose: .halfClose, .stall: .stall, .silence: .loseFromHere,
            ]
            action = actions[kind] ?? .reset
        default: return nil
        }
        if let number = reach.number, match.ends.protocols == [.tcp] {
            // A SYN that is sent again is lost again, or the second attempt of another connection.
            if kind == .lostOpening {
                match.packet = .ordinal(.first(1))
            } else {
                match.connection = number == 1 ? .first(1) : .nth(number)
            }
        }
        return .fault(Fault(match, action))
    }

    /// After the first byte, or later.
    private mutating func progress(_ server: ObservedClient.Server) -> FaultMatch.Progress {
        guard happens(0.5) else { return .bytes(ByteCount(bytes: 1)) }
        let bytes = scaled(from: 1, to: Double(max(server.payload, 2)), .random(in: 0...1, using: &self))
        return .bytes(ByteCount(bytes: UInt64(max(bytes, 1))))
    }

    /// Has the fault happen to the first packet of the answer: the whole request has reached the server. Of an answer in TLS,
    /// to a packet in the second half of the connection, since a handshake comes before it.
    private mutating func aimAtAnswer(_ match: inout FaultMatch, _ server: ObservedClient.Server) {
        (match.direction, match.larger) = (.downlink, Self.longestAcknowledgement)
        guard server.hasTLS else { return }
        let bytes = Double(server.payload) * Double.random(in: 0.5...0.95, using: &self)
        match.after = .bytes(ByteCount(bytes: UInt64(max(bytes.readable, 1))))
    }

    /// Packets of TCP over IPv6 with nothing but acknowledgements and SYN have no more bytes, from the IP header on.
    private static let longestAcknowledgement = 80

    /// Has the fault happen to one of the servers only.
    private mutating func aim(
        _ match: inout FaultMatch,
        at servers: [ObservedClient.Server]
    ) -> ObservedClient.Server? {
        guard let server = pick(servers) else { return nil }
        match.ends.protocols = [server.transport]
        if let port = server.port { match.ends.ports = [port] }
        return server
    }

    private mutating func aimAtName(_ match: inout FaultMatch, _ client: ObservedClient) -> Bool {
        guard let name = pick(client.names).flatMap({ NamePattern($0) }) else { return false }
        match.name = name
        return true
    }
}
