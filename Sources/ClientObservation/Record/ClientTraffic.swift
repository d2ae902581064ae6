// SPDX-License-Identifier: Apache-2.0

extension RunRecord {
    /// Of the traffic of a run, the client's: without what a monitor beside it sent. Its connections have the names of
    /// the processes that held them.
    package func clientTraffic(of traffic: Traffic) -> Traffic {
        guard !probes.isEmpty || !owners.isEmpty else { return traffic }
        var traffic = traffic
        removeProbes(from: &traffic)
        nameOwners(in: &traffic)
        return traffic
    }

    /// The time between the connect(2) of a probe and its first packet, at most.
    private static let probeDelay = Duration.seconds(2)

    private func removeProbes(from traffic: inout Traffic) {
        guard !probes.isEmpty else { return }
        let times = Dictionary(grouping: probes) { SocketEnds($0.client, $0.server, isTCP: $0.isTCP) }
            .mapValues { $0.map(\.time) }
        // A client may use the port of an earlier probe: of the connections with the same ends, the probe's is the one
        // that began with it.
        let places = Dictionary(grouping: traffic.connections.indices) { SocketEnds(of: traffic.connections[$0]) }
        var removed: Set<Int> = []
        for (ends, times) in times {
            for time in times {
                let began = (places[ends] ?? []).compactMap { place -> (Int, Duration)? in
                    guard !removed.contains(place), let begin = traffic.connections[place].begin else { return nil }
                    let distance = begin < time ? time - begin : begin - time
                    return distance <= Self.probeDelay ? (place, distance) : nil
                }
                if let nearest = began.min(by: { $0.1 < $1.1 }) { removed.insert(nearest.0) }
            }
        }
        traffic.connections = traffic.connections.indices.filter { !removed.contains($0) }
            .map { traffic.connections[$0] }
        traffic.nameQueries.removeAll { query in
            guard let client = query.client, let server = query.server else { return false }
            let same = [true, false].flatMap { times[SocketEnds(client, server, isTCP: $0)] ?? [] }
            return same.contains { time in
                let sent = query.packet.sent
                return (sent < time ? time - sent : sent - time) <= Self.probeDelay
            }
        }
    }

    private func nameOwners(in traffic: inout Traffic) {
        guard !owners.isEmpty else { return }
        let places = Dictionary(grouping: traffic.connections.indices) { SocketEnds(of: traffic.connections[$0]) }
        for owner in owners {
            // A port that is used again: the newest connection that had begun.
            let place = places[SocketEnds(owner.client, owner.server)]?.last {
                traffic.connections[$0].begin ?? .distantFuture <= owner.time
            }
            guard let place, !traffic.connections[place].owners.contains(owner.name) else { continue }
            traffic.connections[place].owners.append(owner.name)
        }
    }
}

extension Connection {
    /// When its first packet was sent.
    fileprivate var begin: Instant? { (attempts.first ?? clientPackets.first)?.sent }
}
