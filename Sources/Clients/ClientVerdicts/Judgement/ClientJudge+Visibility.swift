// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// Reasons why the packets cannot show something: then no expectation about it passes.
extension ClientJudge {
    /// The reason why some of the counted items cannot be seen; nil if all can.
    func hidden(_ what: ClientExpectation.Countable, to peer: Peer?, in span: JudgedPeriod) -> String? {
        let active = connections(to: peer).filter { $0.isActive(in: span) }
        switch what {
        case .requests: return active.lazy.compactMap(\.hiddenRequests).first
        case .retransmissions:
            return active.first { $0.carrier == .quic }.map {
                "retransmissions in QUIC to \($0.peerName) cannot be seen; expect bytes"
            }
        case .dnsQueries:
            return active.first { $0.server.port == Self.dnsOverTLS && $0.firstRequest != nil }.map {
                "queries in TLS to \($0.peerName) cannot be seen"
            }
        case .connections, .connectionsAtATime, .connectionAttempts, .bytes: return nil
        }
    }

    /// The reason why queries of the span may be encrypted; nil if nothing hints at that.
    func hiddenQueries(in span: JudgedPeriod) -> String? {
        traffic.connections.first { $0.isActive(in: span) && $0.mayBeEncryptedDNS }.map {
            "queries may be in what was sent to \($0.peerName), encrypted"
        }
    }

    fileprivate static let dnsOverTLS: UInt16 = 853
}

extension Connection {
    /// Whether the client's packets on the connection extend into the span.
    fileprivate func isActive(in span: JudgedPeriod) -> Bool {
        guard let first = firstPacket?.sent, first < span.end else { return false }
        return max(first, clientPackets.last?.sent ?? first) >= span.start
    }

    /// Whether the connection may be DNS over TLS or QUIC (RFC 7858, RFC 9250), or goes to a host with "dns" or "doh"
    /// in its name, as most servers of DNS over HTTPS (RFC 8484) have.
    fileprivate var mayBeEncryptedDNS: Bool {
        if server.port == ClientJudge.dnsOverTLS { return true }
        let words = names.flatMap { $0.split { !$0.isLetter } }
        return server.port == 443 && words.contains { $0.hasSuffix("dns") || $0 == "doh" }
    }
}
