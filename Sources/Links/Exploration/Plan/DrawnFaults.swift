// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkProfiles

/// The reach of a fault: which connections it happens to.
enum FaultReach {
    /// One connection, by its number from 1.
    case once(Int)
    /// All connections during a limited time.
    case forATime
    /// All connections.
    case always

    /// The number of the only connection; nil for the other reaches.
    var number: Int? { if case .once(let number) = self { number } else { nil } }
}

/// Draws faults that can happen to the observed traffic of a client.
extension RandomDraws {
    /// Draws a fault of the kind; nil if the client sends no packets that the fault could match.
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
            // `.nth` would count a retransmitted SYN as another packet: only the first SYN is lost.
            if kind == .lostOpening {
                match.packet = .ordinal(.first(1))
            } else {
                match.connection = number == 1 ? .first(1) : .nth(number)
            }
        }
        return .fault(Fault(match, action))
    }

    /// Draws the progress at which a fault starts: after the first byte of payload, or later.
    private mutating func progress(_ server: ObservedClient.Server) -> FaultMatch.Progress {
        guard happens(0.5) else { return .bytes(ByteCount(bytes: 1)) }
        let bytes = scaled(from: 1, to: Double(max(server.payload, 2)), .random(in: 0...1, using: &self))
        return .bytes(ByteCount(bytes: UInt64(max(bytes, 1))))
    }

    /// Restricts the match to the first packet of the response, so that the whole request has reached the server. With
    /// TLS, to a packet in the second half of the connection's bytes, which is after the handshake.
    private mutating func aimAtAnswer(_ match: inout FaultMatch, _ server: ObservedClient.Server) {
        (match.direction, match.larger) = (.downlink, Self.longestAcknowledgement)
        guard server.hasTLS else { return }
        let bytes = Double(server.payload) * Double.random(in: 0.5...0.95, using: &self)
        match.after = .bytes(ByteCount(bytes: UInt64(max(bytes.readable, 1))))
    }

    /// The maximum length in bytes, from the IP header on, of TCP packets over IPv6 without payload.
    private static let longestAcknowledgement = 80

    /// Restricts the match to one of the servers, and returns it; nil if there are none.
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
