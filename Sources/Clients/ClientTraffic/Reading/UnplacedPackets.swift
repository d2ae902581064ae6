// SPDX-License-Identifier: Apache-2.0

/// Packets of which the link has changed a bit, so that nothing tells what they were of: the bit may be in their ports.
package struct UnplacedPackets: Hashable, Sendable {
    /// The times of possible connections of which no other packet was seen, in order.
    package var openings: [Instant] = []
    /// The times of packets in which the client may have sent something again, in order.
    package var segments: [Instant] = []
    /// The time at which it sent packets that may have held a request.
    package var data: [Instant] = []
    /// The time at which it sent packets that may have been queries for names.
    package var queries: [Instant] = []
    /// The time at which it sent packets of any kind.
    package var outbound: [Instant] = []
    /// Bytes of IP packets that are not counted.
    package var bytes = 0

    /// Takes a packet that could not be read at all.
    mutating func addUnreadable(at sent: Instant, bytes length: Int, isOfServer: Bool) {
        bytes += length
        guard !isOfServer else { return }
        outbound.append(sent)
        openings.append(sent)
        segments.append(sent)
        data.append(sent)
        queries.append(sent)
    }

    /// Takes a connection, all of whose packets were damaged.
    ///
    /// - Parameter isOther: whether they may be of a connection of which others are not damaged.
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
