// SPDX-License-Identifier: Apache-2.0

/// Damaged packets whose connection is unknown: the changed bit may be in an address or a port.
package struct UnplacedPackets: Hashable, Sendable {
    /// The times of packets that may have opened a connection of which no other packet was seen, in order.
    package var openings: [Instant] = []
    /// The times of the client's packets that may have been retransmissions, in order.
    package var segments: [Instant] = []
    /// The times of the client's packets that may have carried a request.
    package var data: [Instant] = []
    /// The times of the client's packets that may have been DNS queries.
    package var queries: [Instant] = []
    /// The times of the client's packets of any kind.
    package var outbound: [Instant] = []
    /// Bytes of the IP packets that no connection counts.
    package var bytes = 0

    /// Adds a packet whose headers could not be read: a client's packet may have been of any kind.
    mutating func addUnreadable(at sent: Instant, bytes length: Int, isOfServer: Bool) {
        bytes += length
        guard !isOfServer else { return }
        outbound.append(sent)
        openings.append(sent)
        segments.append(sent)
        data.append(sent)
        queries.append(sent)
    }

    /// Adds the packets of a connection that were all damaged.
    ///
    /// - Parameter isOther: whether the packets may belong to another connection, which has undamaged packets.
    mutating func add(_ flow: ObservedConnections.Flow, _ connection: Connection, at first: Instant, isOther: Bool) {
        bytes += connection.bytes.client + connection.bytes.server
        outbound += connection.volume.filter { $0.bytes.client > 0 }.map(\.begin)
        guard flow.carrier == .tcp else {
            guard connection.packets.client > 0 else { return }
            queries.append(first)
            if flow.carrier == .quic { openings.append(first) }
            return
        }
        segments += connection.clientPackets.map(\.sent)
        data += connection.clientPackets.map(\.sent)
        let opensAnother = !(isOther && connection.attempts.isEmpty)
        if opensAnother, connection.packets.client > 0 { openings.append(first) }
    }
}
