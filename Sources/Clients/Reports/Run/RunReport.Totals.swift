// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
package import LinkProfiles

extension RunReport {
    /// Counts on the wire.
    package struct Totals: Hashable, Sendable {
        /// Connections that the command tried to open.
        package var connections = 0
        /// The connections that were accepted.
        package var accepted = 0
        /// HTTP requests that could be read.
        package var requests = 0
        package var nameQueries = 0
        /// Packets in which the client retransmitted something.
        package var retransmissions = 0
        /// The number of packets.
        package var packets = 0
        /// The packets that the link dropped.
        package var dropped = 0
        /// The packets that were on the link when the run ended.
        package var undelivered = 0
        /// Bytes of all packets with their Ethernet headers. The expectation `at most 500 kB`, by contrast, counts the
        /// bytes of connections' IP packets.
        package var bytes = 0
    }
}

extension RunReport.Totals {
    /// Counts the connections, requests and packets of a run.
    package init(_ traffic: ObservedTraffic, _ record: RunRecord) {
        let opened = traffic.connections.filter { !$0.attempts.isEmpty && $0.carrier != .udp }
        let lives = ConnectionLives(record, traffic.connections)
        connections = opened.count + traffic.unkept.connections
        accepted = opened.count { lives.acceptance(of: $0) != nil }
        requests = traffic.connections.reduce(traffic.unkept.requests) { $0 + $1.requests.count }
        nameQueries = traffic.nameQueries.count + traffic.unkept.nameQueries
        retransmissions = traffic.connections.reduce(traffic.unkept.retransmissions) {
            $0 + $1.retransmissionCounts.client
        }
        packets = traffic.link.packets
        dropped = traffic.link.dropped.values.reduce(0, +) - traffic.link.undelivered
        undelivered = traffic.link.undelivered
        bytes = traffic.link.bytes
    }

    /// The counts with their names in report.json and on the page.
    private static var all: [(key: String, name: String, count: WritableKeyPath<Self, Int>)] {
        [
            ("connections", "Connections", \.connections), ("accepted", "accepted", \.accepted),
            ("requests", "HTTP requests", \.requests), ("nameQueries", "DNS queries", \.nameQueries),
            ("retransmissions", "Sent again by the client", \.retransmissions), ("packets", "Packets", \.packets),
            ("dropped", "dropped by the link", \.dropped),
            ("undelivered", "on the link at the end", \.undelivered), ("bytes", "Bytes with Ethernet headers", \.bytes),
        ]
    }

    /// The counts with their names on the page.
    var facts: [(name: String, value: String)] { Self.all.map { ($0.name, "\(self[keyPath: $0.count])") } }
}

extension RunReport.Totals: JSONObject {
    package static let blank = Self()

    package mutating func describe(_ members: inout JSONMembers) {
        for (key, _, count) in Self.all { members.lenient(key, &self[keyPath: count]) }
    }
}
