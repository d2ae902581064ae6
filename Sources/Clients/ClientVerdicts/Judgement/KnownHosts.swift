// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import InternetAddresses

/// The names and addresses of hosts that a client could know: from DNS answers, TLS, HTTP and /etc/hosts.
struct KnownHosts {
    private let listed: [IPAddress: Set<String>]
    private let hosts: HostNames
    /// The addresses in DNS answers, by name, with the times of the answers.
    private let answered: [String: [(address: IPAddress, at: Instant)]]
    /// Names that have no IPv4 address according to a DNS answer.
    private let withoutIPv4: Set<String>

    init(_ judge: ClientJudge) {
        hosts = judge.record.hosts
        listed = hosts.byAddress
        var (answered, without) = ([String: [(address: IPAddress, at: Instant)]](), Set<String>())
        for query in judge.traffic.nameQueries {
            guard let delivered = query.answer?.delivered else { continue }
            let name = query.name.lowercased()
            answered[name, default: []] += query.addresses.map { ($0, delivered) }
            if query.type == Self.typeA, query.addresses.isEmpty { without.insert(name) }
        }
        (self.answered, withoutIPv4) = (answered, without)
    }

    /// The names of a connection's server, in lower case.
    func names(of connection: Connection) -> Set<String> {
        let told = connection.names.union(connection.resolvedNames.map { $0.lowercased() })
        return told.union(listed[connection.server.address.unmapped] ?? [])
    }

    /// The peers to which a connection goes: each name and each address of its server.
    func targets(of connection: Connection) -> Set<Peer> {
        let names = names(of: connection)
        let known = names.flatMap { addresses(of: $0) } + [connection.server.address.unmapped]
        return Set((names + known.map(\.description)).map { Peer($0, port: connection.server.port) })
    }

    /// The peer by which attempts at one host are grouped: its name, else its address.
    func mainTarget(of connection: Connection) -> Peer {
        let names = names(of: connection)
        let name = connection.serverName?.lowercased() ?? names.sorted().first
        return Peer(name ?? connection.server.address.unmapped.description, port: connection.server.port)
    }

    private func addresses(of name: String) -> [IPAddress] {
        (answered[name] ?? []).map(\.address.unmapped) + hosts.addresses(of: name)
    }

    /// A client's knowledge of the IPv4 addresses of some names.
    enum IPv4 {
        /// An address was known from `since` on; nil for always.
        case known(since: Instant?)
        /// A DNS answer showed that there is none.
        case none
        case unknown
    }

    func ipv4(of names: Set<String>) -> IPv4 {
        if names.contains(where: { hosts.addresses(of: $0).contains { $0.family == .ipv4 } }) {
            return .known(since: nil)
        }
        let times = names.flatMap { answered[$0] ?? [] }.filter { $0.address.family == .ipv4 }.map(\.at)
        if let first = times.min() { return .known(since: first) }
        return names.isDisjoint(with: withoutIPv4) ? .unknown : .none
    }

    private static let typeA: UInt16 = 1
}
