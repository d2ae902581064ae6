// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// The traffic of a client, indexed by time: a label may have been set a thousand times, and each time is judged.
struct TrafficByTime {
    private let traffic: ObservedTraffic
    private let connections: TimeIndex
    private let nameQueries: TimeIndex

    init(_ traffic: ObservedTraffic, _ lives: ConnectionLives) {
        self.traffic = traffic
        connections = TimeIndex(
            traffic.connections.map { connection in
                let times = connection.times
                // No packet shows when the client closed the connection.
                guard let life = lives.life(of: connection) else { return times.lowerBound ... .distantFuture }
                return min(times.lowerBound, life.begin)...max(times.upperBound, life.end)
            }
        )
        nameQueries = TimeIndex(traffic.nameQueries.map { $0.packet.sent...$0.packet.sent })
    }

    /// The traffic in the period `times`: the connections that the client had, or that had packets, and the queries.
    func during(_ times: ClosedRange<Instant>) -> ObservedTraffic {
        var part = traffic
        part.connections = connections.overlapping(times).map { traffic.connections[$0] }
        part.nameQueries = nameQueries.overlapping(times).map { traffic.nameQueries[$0] }
        return part
    }
}

extension Connection {
    /// The period in which the connection had packets, including the periods of its volume.
    fileprivate var times: ClosedRange<Instant> {
        let packets = [attempts, clientPackets, answers, retransmissions.map(\.packet), requests.map(\.packet)]
        let single = [accepted].compactMap { $0 } + endings.map(\.packet)
        var moments = (packets.joined() + single).flatMap { [$0.sent, $0.delivered ?? $0.sent] }
        moments += volume.flatMap { [$0.begin, $0.begin + .nanoseconds(Volume.length)] }
        guard let first = moments.min(), let last = moments.max() else { return .distantFuture ... .distantFuture }
        return first...last
    }
}
