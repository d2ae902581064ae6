// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkProfiles

/// How often a fault happens.
enum FaultReach: CaseIterable {
    /// To the first connection.
    case once
    /// To all in a time, after which all is well.
    case forATime
    /// To all.
    case always
}

/// Draws faults of what a client was seen to do.
extension RandomDraws {
    /// A fault of the kind; nil if the client does nothing that it could happen to.
    mutating func fault(_ kind: DisturbanceKind, _ reach: FaultReach, _ client: ObservedClient) -> Disturbance.Effect? {
        var match = FaultMatch()
        let action: FaultAction
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
            guard aim(&match, at: client.servers.filter { $0.transport == .tcp }) != nil else { return nil }
            match.packet = .syn
            action =
                kind == .refusal
                ? .refuse(.reset) : kind == .lostOpening ? .lose : .refuse(pick([.host, .net, .prohibited]) ?? .host)
        case .stalledHandshake:
            guard aim(&match, at: client.servers.filter { $0.transport == .tcp && $0.hasTLS }) != nil else {
                return nil
            }
            match.packet = NamePattern("*").map { .tlsHello($0) }
            action = .stall
        case .reset, .close, .halfClose, .stall, .silence:
            guard let server = aim(&match, at: client.servers.filter({ $0.transport == .tcp })) else { return nil }
            match.after = .bytes(ByteCount(bytes: progress(server, reach)))
            let actions: [DisturbanceKind: FaultAction] = [
                .reset: .reset, .close: .close, .halfClose: .halfClose, .stall: .stall, .silence: .loseFromHere,
            ]
            action = actions[kind] ?? .reset
        default: return nil
        }
        if reach == .once, match.ends.protocols == [.tcp] {
            // A SYN that is sent again is lost again, or the second attempt of another connection.
            if kind == .lostOpening { match.packet = .ordinal(.first(1)) } else { match.connection = .first(1) }
        }
        return .fault(Fault(match, action))
    }

    /// After a byte: the request has reached the server, and its answer does not come. Or later.
    private mutating func progress(_ server: ObservedClient.Server, _ reach: FaultReach) -> UInt64 {
        guard reach != .once, happens(0.5) else { return 1 }
        return UInt64(max(scaled(from: 1, to: Double(max(server.payload, 2)), .random(in: 0...1, using: &self)), 1))
    }

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
