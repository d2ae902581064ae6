// SPDX-License-Identifier: Apache-2.0

package import ClientObservation

extension RunReport.Totals {
    /// Counts what the packets of a run show.
    package init(_ traffic: Traffic, _ record: RunRecord) {
        self.init()
        let opened = traffic.connections.filter { !$0.attempts.isEmpty && $0.carrier != .udp }
        let lives = ConnectionLives(record)
        connections = opened.count
        accepted = opened.count { lives.acceptance(of: $0) != nil }
        requests = traffic.connections.reduce(0) { $0 + $1.requests.count }
        nameQueries = traffic.nameQueries.count
        retransmissions = traffic.connections.reduce(0) { sum, connection in
            sum + connection.retransmissions.count { $0.side == .client }
        }
        packets = traffic.link.packets
        dropped = traffic.link.dropped.values.reduce(0, +) - traffic.link.undelivered
        undelivered = traffic.link.undelivered
        bytes = traffic.link.bytes
    }
}
