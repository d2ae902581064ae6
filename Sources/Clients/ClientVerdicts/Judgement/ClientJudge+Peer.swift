// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import InternetAddresses
internal import LinkProfiles

/// A peer that nothing was sent to: perhaps it is misspelt.
extension ClientJudge {
    /// The finding on an expectation about a peer that no packet went to; nil if one did, or if its absence is what was
    /// expected and could be seen.
    func unseenPeer(_ peer: Peer, _ kind: ClientExpectation.Kind) -> ClientFinding? {
        guard connections(to: peer).isEmpty else { return nil }
        if kind.isAboutNames, traffic.nameQueries.contains(where: { peer.isAsked(by: $0) }) { return nil }
        if case .fallsBackToTCP = kind, !messages(with: peer).isEmpty { return nil }
        // The client may have found it in /etc/hosts, whose other names are none that it used.
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

    /// Whether the packets so far tell which connections go to a peer: one that DNS names may name another host itself.
    func isKnown(_ peer: Peer?) -> Bool {
        guard let peer, IPAddress(peer.host) == nil, record.hosts.addresses(of: peer.host).isEmpty else { return true }
        return connections(to: peer).allSatisfy { $0.firstRequest != nil || !$0.endings.isEmpty }
    }

    /// Whether the client certainly did not speak to a peer: it is an address, its host is known by another port, or all
    /// hosts have names, of which none is like its own.
    private func isAbsent(_ peer: Peer, among seen: [Peer]) -> Bool {
        if IPAddress(peer.host) != nil || !record.hosts.addresses(of: peer.host).isEmpty { return true }
        let hosts = seen.map(\.host)
        return hosts.contains(peer.host)
            || Spelling.nearest(to: peer.host, among: hosts) == nil && hosts.allSatisfy { IPAddress($0) == nil }
    }

    /// The peers of the client, by the names that the packets tell and, if asked for, those of /etc/hosts, else by their
    /// addresses, each once, in the order of the first packet to each.
    private func seenPeers(withHosts: Bool) -> [Peer] {
        var seen: Set<Peer> = []
        // /etc/hosts may be long, and connections many.
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
    /// Whether a query asks for its name.
    func isAsked(by query: NameQuery) -> Bool { Peer(query.name).host == host }
}

extension ClientExpectation.Kind {
    /// Whether the peer is a name that DNS is asked for.
    fileprivate var isAboutNames: Bool {
        switch self {
        case .atMost(_, .dnsQueries), .asksDNSAgain: true
        default: false
        }
    }
}

/// A list for people, of which only the first few are named: "a, b, c and 4 more".
func listed(_ words: [String]) -> String {
    let maximum = 5
    let shown = words.prefix(maximum).joined(separator: ", ")
    return words.count > maximum ? "\(shown) and \(words.count - maximum) more" : shown
}
