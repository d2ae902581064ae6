// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import InternetAddresses

/// Attempts that a server refused, among connections that are counted: no pool makes fewer of them.
struct Refusals {
    let count: Int
    /// A refusal at one address of a name whose other address accepted after it: `localhost` is ::1 and 127.0.0.1.
    private let detour: (refused: Endpoint, accepted: Endpoint)?

    /// Finds those that began with these packets; nil if there are none.
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

    /// The names of no more are compared, of thousands.
    private static let maximumCompared = 16

    /// ", 1 of them refused at [::1]:80 before 127.0.0.1:80 accepted"
    var words: String {
        let place = detour.map { " at \($0.refused) before \($0.accepted) accepted" } ?? ""
        return count == 1
            ? ", 1 of them refused\(place)" : ", \(count) of them refused\(detour == nil ? "" : ", one\(place)")"
    }

    /// The remedy if the other ones are not too many.
    var remedy: String {
        detour == nil
            ? "beginning when the server listens, and more time between attempts after each failure"
            : "a server that listens at every address of its name, or the address at which it listens in place of the name"
    }
}

extension Connection {
    /// Whether the server answered its SYN with RST.
    fileprivate var isRefused: Bool {
        carrier == .tcp && accepted == nil && endings.contains { $0.kind == .reset && $0.side == .server }
    }

    /// Whether another one begins after it, at the same port of another address.
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
