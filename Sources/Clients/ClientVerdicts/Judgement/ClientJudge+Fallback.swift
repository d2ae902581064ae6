// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import InternetAddresses
internal import LinkProfiles

/// Judges a client's replacements for attempts that get no answer.
extension ClientJudge {
    /// `uses IPv4 within 500 ms`
    func usingIPv4(within limit: Duration, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let fallback = Fallback(
            self,
            over: "IPv6",
            to: "IPv4",
            traffic.connections.filter { $0.isAttempt(.ipv4) },
            within: limit
        ) {
            attempt,
            hosts,
            limit in
            switch hosts.ipv4(of: hosts.names(of: attempt)) {
            case .unknown: return "no IPv4 address of it was seen"
            case .none: return "it has no IPv4 address"
            case .known(let since):
                guard let since, let begin = attempt.attempts.first?.sent, since > begin else { return nil }
                return "its IPv4 address was known \((since - begin).words) after that one only"
            }
        }
        return fallback.finding(on: connections(to: peer).filter { $0.isAttempt(.ipv6) && isBegun($0, in: span) })
    }

    /// `falls back to TCP within 2 s`
    func fallingBackToTCP(within limit: Duration, _ peer: Peer?, in span: JudgedPeriod) -> ClientFinding {
        let connections = traffic.connections.filter { $0.carrier == .tcp && !$0.attempts.isEmpty }
        let fallback = Fallback(self, over: "UDP", to: "TCP", connections, within: limit)
        let queries = queriesOverUDP.filter { peer?.matches($0, record.hosts) ?? true }
        let attempts = self.connections(to: peer).filter { $0.carrier == .quic } + queries
        return fallback.finding(on: attempts.filter { isBegun($0, in: span) })
    }

    /// Each DNS query over UDP as a separate flow, with the first later answer of its server: the answer to a
    /// retransmission also answers the lost query.
    private var queriesOverUDP: [Connection] {
        let messages = Dictionary(grouping: traffic.nameMessages) { $0.client }
        let queries = traffic.nameQueries.filter { query in
            guard let client = query.client else { return false }
            return messages[client]?.contains { $0.server == query.server && $0.sent == query.packet.sent } ?? false
        }
        let answers = Dictionary(grouping: queries.filter { $0.answer?.delivered != nil }, by: \.server).mapValues {
            queries in
            queries.compactMap(\.answer).sorted { $0.delivered ?? .distantPast < $1.delivered ?? .distantPast }
        }
        var next: [Endpoint: Int] = [:]
        return queries.compactMap { query in
            guard let client = query.client, let server = query.server else { return nil }
            let known = answers[server] ?? []
            var index = next[server] ?? 0
            while index < known.count, known[index].delivered ?? .distantPast <= query.packet.sent { index += 1 }
            next[server] = index
            var flow = Connection(.udp, client: client, server: server, attempts: [query.packet])
            flow.accepted = index < known.count ? known[index] : nil
            return flow
        }
    }

    private func isBegun(_ connection: Connection, in span: JudgedPeriod) -> Bool {
        // In a whole run, attempts may precede the event of the run's start.
        let isWhole = span.label == nil && !record.beginsLater
        return connection.attempts.first.map { isWhole || span.contains($0.sent) } ?? false
    }
}

extension Connection {
    /// Whether the client tried to open the connection over the address family `family`.
    fileprivate func isAttempt(_ family: IPAddress.Family) -> Bool {
        carrier != .udp && !attempts.isEmpty && server.address.unmapped.family == family
    }
}
