// SPDX-License-Identifier: Apache-2.0

import ClientTraffic

/// Sums over all connections of a capture.
struct TrafficTotals {
    var connections = 0
    var attempts = 0
    var queries = 0
    var answeredQueries = 0
    var requests = 0
    var resets = SideCounts()
    var bytes = SideCounts()
    var packets = SideCounts()
    var retransmissions = SideCounts()

    init(_ traffic: ObservedTraffic) {
        connections = traffic.connections.count
        queries = traffic.nameQueries.count
        answeredQueries = traffic.nameQueries.count { $0.answer != nil }
        for connection in traffic.connections {
            attempts += connection.attempts.count
            requests += connection.requests.count
            let again = connection.retransmissionCounts
            for side in [Connection.Side.client, .server] {
                bytes[side] += connection.bytes[side]
                packets[side] += connection.packets[side]
                retransmissions[side] += again[side]
                resets[side] += connection.endings.count { $0.kind == .reset && $0.side == side && !$0.isOfFault }
            }
        }
    }
}
