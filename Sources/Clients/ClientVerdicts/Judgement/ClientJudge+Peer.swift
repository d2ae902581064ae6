// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import InternetAddresses
internal import LinkProfiles

/// Judges expectations about a peer to which nothing was sent, and which may be misspelt.
extension ClientJudge {
    /// The finding on an expectation about a peer to which no packet was sent; nil if one was, or if the peer's certain
    /// absence fulfils the expectation.
    func unseenPeer(_ peer: Peer, _ kind: ClientExpectation.Kind) -> ClientFinding? {
        guard connections(to: peer).isEmpty else { return nil }
        if kind.isAboutNames, traffic.nameQueries.contains(where: { peer.isAsked(by: $0) }) { return nil }
        if case .fallsBackToTCP = kind, !messages(with: peer).isEmpty { return nil }
        // The client may have found the peer in /etc/hosts. Other names there count here only as possible peers.
        let possible = seenPeers(withHosts: true)
        if case .atMost(0, _) = kind, isAbsent(peer, among: possible) { return nil }
        let name = { (one: Peer) in peer.port == nil ? one.host : one.description }
        let (names, nearest) = (
            seenPeers(withHosts: false).map(name),
            Spelling.nearest(to: peer.description, among: possible.map(name))
        )
        var words = "nothing was sent to \(peer)"
        if !names.isEmpty { words += "; the client spoke to \(listed(names))" }
        if let nearest { words += "; did you mean \(nearest)?" }
        return ClientFinding(.inconclusive, words)
    }

    /// Whether the packets so far show which connections go to a peer: a connection with a DNS name may still show
    /// another name in SNI or Host.
    func isKnown(_ peer: Peer?) -> Bool {
        guard let peer, IPAddress(peer.host) == nil, record.hosts.addresses(of: peer.host).isEmpty else { return true }
        return connections(to: peer).allSatisfy { $0.firstRequest != nil || !$0.endings.isEmpty }
    }

    /// Whether the client certainly sent nothing to a peer: the peer is an address or a name in /etc/hosts, its host
    /// was seen with another port, or all hosts seen have names, none of which is similar.
    private func isAbsent(_ peer: Peer, among seen: [Peer]) -> Bool {
        if IPAddress(peer.host) != nil || !record.hosts.addresses(of: peer.host).isEmpty { return true }
        let hosts = seen.map(\.host)
        return hosts.contains(peer.host)
            || Spelling.nearest(to: peer.host, among: hosts) == nil && hosts.allSatisfy { IPAddress($0) == nil }
    }

    /// The peers of the client, in the order of the first packet to each: by the names in the packets and, with
    /// `withHosts`, in /etc/hosts; else by address.
    private func seenPeers(withHosts: Bool) -> [Peer] {
        var seen: Set<Peer> = []
        // A cache, since /etc/hosts may be long, and connections many.
        var names: [IPAddress: [String]] = [:]
        return traffic.connections.flatMap { connection in
            let server = connection.server
            let listed = names[server.address] ?? (withHosts ? record.hosts.names(of: server.address) : [])
            names[server.address] = listed
            let known = connection.names.union(listed).sorted()
            return (known.isEmpty ? [server.address.description] : known).map { Peer($0, port: server.port) }
        }
        .filter { seen.insert($0).inserted }
    }
}

extension Peer {
    /// Whether a query asks for the peer's name.
    func isAsked(by query: NameQuery) -> Bool { Peer(query.name).host == host }
}

extension ClientExpectation.Kind {
    /// Whether the expectation's peer is a name in DNS queries.
    fileprivate var isAboutNames: Bool {
        switch self {
        case .atMost(_, .dnsQueries), .asksDNSAgain: true
        default: false
        }
    }
}

/// A list for messages, which names only the first five: "a, b, c, d, e and 4 more".
func listed(_ words: [String]) -> String {
    let maximum = 5
    let shown = words.prefix(maximum).joined(separator: ", ")
    return words.count > maximum ? "\(shown) and \(words.count - maximum) more" : shown
}
