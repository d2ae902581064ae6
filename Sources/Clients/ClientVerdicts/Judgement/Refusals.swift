// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import InternetAddresses

/// Refused attempts among counted connections: a connection pool would not reduce their number.
struct Refusals {
    let count: Int
    /// A refusal at one address of a name, and a later acceptance at another: `localhost` is ::1 and 127.0.0.1.
    private let detour: (refused: Endpoint, accepted: Endpoint)?

    /// Finds the refused connections whose first packet is in `packets`; nil if there are none.
    init?(_ judge: ClientJudge, of packets: [ObservedPacket]) {
        let numbers = Set(packets.map(\.number))
        let refused = judge.traffic.connections.filter { connection in
            connection.isRefused && connection.attempts.first.map { numbers.contains($0.number) } == true
        }
        guard !refused.isEmpty else { return nil }
        count = refused.count
        let hosts = KnownHosts(judge)
        let accepted = judge.traffic.connections.filter { $0.accepted != nil }
        detour =
            refused.prefix(Self.maximumCompared).lazy.compactMap { connection in
                accepted.lazy.filter { connection.mayBeFollowed(by: $0) }.prefix(Self.maximumCompared)
                    .first { connection.hasName(of: $0, hosts) }.map { (connection.server, $0.server) }
            }.first
    }

    /// The maximum number of connections whose names are compared: there may be thousands.
    private static let maximumCompared = 16

    /// ", 1 of them refused at [::1]:80 before 127.0.0.1:80 accepted"
    var words: String {
        let place = detour.map { " at \($0.refused) before \($0.accepted) accepted" } ?? ""
        return count == 1
            ? ", 1 of them refused\(place)" : ", \(count) of them refused\(detour == nil ? "" : ", one\(place)")"
    }

    /// The remedy if the other connections are within the limit.
    var remedy: String {
        detour == nil
            ? "beginning when the server listens, and more time between attempts after each failure"
            : "a server that listens at every address of its name, or the address at which it listens in place of the name"
    }
}

extension Connection {
    /// Whether the server answered the connection's SYN with RST.
    fileprivate var isRefused: Bool {
        carrier == .tcp && accepted == nil && endings.contains { $0.kind == .reset && $0.side == .server }
    }

    /// Whether `other` starts after this connection, at the same port of another address.
    fileprivate func mayBeFollowed(by other: Connection) -> Bool {
        guard let begin = attempts.first?.sent, let next = other.attempts.first?.sent, next >= begin else {
            return false
        }
        return other.server.port == server.port && other.server.address != server.address
    }

    /// Whether both servers have a name in common; the loopback addresses have `localhost`.
    fileprivate func hasName(of other: Connection, _ hosts: KnownHosts) -> Bool {
        if server.address.isLoopback, other.server.address.isLoopback { return true }
        return !hosts.targets(of: self).isDisjoint(with: hosts.targets(of: other))
    }
}
