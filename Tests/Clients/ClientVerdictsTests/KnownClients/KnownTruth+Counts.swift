// SPDX-License-Identifier: Apache-2.0

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

extension KnownRun {
    /// What is true of a number.
    func count(
        _ what: ClientExpectation.Countable,
        _ connections: [KnownConnection],
        _ peer: Peer?,
        _ part: Part,
        _ limit: Int64
    ) -> KnownTruth {
        let all = figure(what, connections, peer, part)
        guard !all.isHidden || all.exact > limit else { return .nothing }
        return .figure(all.exact, all.low, all.high, atMost: limit)
    }

    /// The true number, and what it may seem to be.
    struct Figure {
        var exact: Int64
        var low: Int64
        var high: Int64
        /// Whether there may be more that nobody can see.
        var isHidden = false

        init(_ exact: Int, _ low: Int? = nil, _ high: Int? = nil) {
            (self.exact, self.low, self.high) = (Int64(exact), Int64(low ?? exact), Int64(high ?? exact))
        }
    }

    func figure(
        _ what: ClientExpectation.Countable,
        _ connections: [KnownConnection],
        _ peer: Peer?,
        _ part: Part
    ) -> Figure {
        switch what {
        case .connections:
            let sure = connections.count { $0.opened >= part.begin && $0.opened < part.end }
            let older = connections.filter { $0.opened < part.begin }.map { $0.letGoTimes(end: end) }
            return Figure(
                sure + older.count { $0.exact > part.begin },
                sure + older.count { $0.low > part.begin },
                sure + older.count { $0.high > part.begin }
            )
        case .connectionsAtATime:
            return Figure(
                maximum(connections, part, \.exact),
                maximum(connections, part, \.low),
                maximum(connections, part, \.high)
            )
        case .connectionAttempts: return Figure(connections.count { part.contains($0.opened) })
        case .dnsQueries: return Figure(peer == nil ? network.queries.count { part.contains($0) } : 0)
        case .requests:
            let own = client.requests.filter { request in
                let connection = client.connections[request.connection]
                return connection.isHTTP && connections.contains { $0 === connection } && part.contains(request.time)
            }
            var figure = Figure(own.count, own.count { $0.isSent })
            // What is not HTTP may hold anything, as long as the client says something in it.
            let others = connections.filter { !$0.isHTTP && $0.accepted != nil && $0.opened < part.end }
            figure.isHidden = others.contains { connection in
                let written = client.requests.filter { client.connections[$0.connection] === connection }.map(\.time)
                return (written + connection.retransmissions).contains { $0 >= part.begin }
            }
            if others.contains(where: { $0.letGo ?? .max >= part.begin }) { figure.high = .max }
            return figure
        case .retransmissions:
            return Figure(connections.reduce(0) { $0 + $1.retransmissions.count { part.contains($0) } })
        case .bytes:
            let step = Int64.ms(10)
            let sent = network.sent
            let exact = sent.reduce(0) { $0 + (part.contains($1.time) ? $1.bytes : 0) }
            let isWhole = part.end == .max
            let near = sent.reduce(0) { sum, packet in
                let borders = [part.begin, part.end].filter { _ in !isWhole }
                return sum + (borders.contains { abs($0 - packet.time) <= step } ? packet.bytes : 0)
            }
            return Figure(exact, exact - near - network.link.damagedBytes, exact + near)
        }
    }

    private func maximum(
        _ connections: [KnownConnection],
        _ part: Part,
        _ end: KeyPath<(low: Int64, exact: Int64, high: Int64), Int64>
    ) -> Int {
        let times = connections.map { (begin: $0.opened, end: $0.letGoTimes(end: self.end)[keyPath: end]) }
        let moments = [part.begin] + times.map(\.begin).filter { part.contains($0) }
        return moments.map { moment in times.count { $0.begin <= moment && $0.end > moment } }.max() ?? 0
    }
}
