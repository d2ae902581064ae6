// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkProfiles

/// What takes the place of attempts that get no answer.
extension Judge {
    /// `uses IPv4 within 500 ms`
    func usingIPv4(within limit: Duration, _ peer: Peer?, in span: Span) -> Finding {
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

    private func isBegun(_ connection: Connection, in span: Span) -> Bool {
        // In a whole run, attempts may precede the event of its start.
        let isWhole = span.label == nil && !record.beginsLater
        return connection.attempts.first.map { isWhole || span.contains($0.sent) } ?? false
    }
}

extension Connection {
    /// Whether the client began to open it over this version of IP.
    fileprivate func isAttempt(_ family: IPAddress.Family) -> Bool {
        carrier != .udp && !attempts.isEmpty && server.address.unmapped.family == family
    }
}
