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
        let times = Dictionary(grouping: probes, by: \.socket)
            .mapValues { $0.map(\.time) }
        // A client may use the port of an earlier probe: of the connections with the same ends, the probe's is the one
        // that began with it.
        let indices = traffic.connectionIndices
        var removed: Set<Int> = []
        for (ends, times) in times {
            for time in times {
                let near = (indices[ends] ?? []).compactMap { index -> (index: Int, distance: Duration)? in
                    guard !removed.contains(index), let start = traffic.connections[index].start else { return nil }
                    let distance = start.distance(to: time)
                    return distance <= Self.probeDelay ? (index, distance) : nil
                }
                if let nearest = near.min(by: { $0.distance < $1.distance }) { removed.insert(nearest.index) }
            }
        }
        traffic.connections = traffic.connections.indices.filter { !removed.contains($0) }
            .map { traffic.connections[$0] }
        traffic.nameQueries.removeAll { query in
            guard let client = query.client, let server = query.server else { return false }
            let same = [true, false].flatMap { times[SocketEnds(client, server, isTCP: $0)] ?? [] }
            return same.contains { query.packet.sent.distance(to: $0) <= Self.probeDelay }
        }
    }

    private func nameOwners(in traffic: inout Traffic) {
        guard !owners.isEmpty else { return }
        let indices = traffic.connectionIndices
        for owner in owners {
            // A port that is used again: the newest connection that had begun.
            let index = indices[owner.socket]?.last { traffic.connections[$0].start ?? .distantFuture <= owner.time }
            guard let index, !traffic.connections[index].owners.contains(owner.name) else { continue }
            traffic.connections[index].owners.append(owner.name)
        }
    }
}

extension Traffic {
    /// Where the connections of each pair of ends are, in order.
    fileprivate var connectionIndices: [SocketEnds: [Int]] {
        Dictionary(grouping: connections.indices) { SocketEnds(of: connections[$0]) }
    }
}

extension Instant {
    /// The time between this moment and another, whichever is first.
    fileprivate func distance(to other: Instant) -> Duration { self < other ? other - self : self - other }
}

extension Connection {
    /// When its first packet was sent.
    fileprivate var start: Instant? { firstPacket?.sent }
}
