// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// The table of a capture's connections, which assigns each packet to a connection.
struct ObservedConnections {
    /// The state of a connection while packets are read.
    struct Flow {
        fileprivate(set) var carrier: Connection.Carrier
        let client: Endpoint
        let server: Endpoint
        /// Whether the client is the first endpoint of the connection's key.
        let isClientFirst: Bool
        /// The sequence number of the client's SYN; nil if it is not known.
        let initial: TCPSequence?
        /// Whether an undamaged packet belongs to the connection.
        var isCertain = false
        /// Whether both sides have sent a FIN, or one has sent an RST.
        var hasEnded: Bool { hasReset || finished.client && finished.server }
        fileprivate var finished = (client: false, server: false)
        fileprivate var hasReset = false
    }

    /// The number of a packet's connection, and the side that sent the packet.
    struct Membership {
        let number: Int
        let side: Connection.Side
    }

    private(set) var flows: [Flow] = []
    /// The number of the newest connection between two endpoints.
    private var newest: [ConnectionKey: Int] = [:]

    /// Finds or adds the connection of a segment; a SYN with a new sequence number adds one. Returns nil if there is no
    /// memory for another connection.
    mutating func findOrAddFlow(
        _ tcp: TCPHeader,
        from source: Endpoint,
        to destination: Endpoint,
        _ timed: TimedPacket,
        _ budget: ReadingBudget
    ) -> Membership? {
        let (key, isSourceFirst) = ConnectionKey.of(source: source, destination: destination, isTCP: true)
        let opens = tcp.flags.contains(.syn) && !tcp.flags.contains(.acknowledgment)
        var place = newest[key]
        if let found = place, opens, !timed.isDamaged, isAnother(found, tcp.sequence, isSourceFirst) { place = nil }
        let flow: Int
        if let place {
            flow = place
        } else {
            guard budget.reserveConnection() else {
                // The packets that follow belong to the new connection, which is not kept, and not to the old one.
                newest[key] = nil
                return nil
            }
            let isClient = Self.isClient(tcp, source, destination, timed)
            let ends = isClient ? (source, destination) : (destination, source)
            flow = flows.count
            let answers = tcp.flags.isAcceptance
            let initial = opens ? tcp.sequence : answers ? tcp.acknowledgment - 1 : nil
            flows.append(
                Flow(
                    carrier: .tcp,
                    client: ends.0,
                    server: ends.1,
                    isClientFirst: isClient == isSourceFirst,
                    initial: initial
                )
            )
            newest[key] = flow
        }
        let side: Connection.Side = flows[flow].isClientFirst == isSourceFirst ? .client : .server
        guard !timed.isDamaged else { return Membership(number: flow, side: side) }
        flows[flow].isCertain = true
        if tcp.flags.contains(.fin) {
            if side == .client { flows[flow].finished.client = true } else { flows[flow].finished.server = true }
        }
        if tcp.flags.contains(.reset) { flows[flow].hasReset = true }
        return Membership(number: flow, side: side)
    }

    /// Finds or adds the flow of a datagram. The client is the host if the lane shows the direction, else the sender of
    /// the first datagram. Returns nil if there is no memory for another flow.
    mutating func findOrAddFlow(
        datagramFrom source: Endpoint,
        to destination: Endpoint,
        _ timed: TimedPacket,
        _ budget: ReadingBudget,
        carrier: @autoclosure () -> Connection.Carrier
    ) -> Membership? {
        let (key, isSourceFirst) = ConnectionKey.of(source: source, destination: destination, isTCP: false)
        if let flow = newest[key] {
            if !timed.isDamaged, !flows[flow].isCertain {
                flows[flow].isCertain = true
                // The damaged datagrams before may have hidden that the flow is QUIC.
                if carrier() == .quic { flows[flow].carrier = .quic }
            }
            return Membership(number: flow, side: flows[flow].isClientFirst == isSourceFirst ? .client : .server)
        }
        guard budget.reserveConnection() else { return nil }
        let isClient = !timed.isDownlink
        flows.append(
            Flow(
                carrier: carrier(),
                client: isClient ? source : destination,
                server: isClient ? destination : source,
                isClientFirst: isClient == isSourceFirst,
                initial: nil,
                isCertain: !timed.isDamaged
            )
        )
        newest[key] = flows.count - 1
        return Membership(number: flows.count - 1, side: isClient ? .client : .server)
    }

    /// Whether a SYN with `sequence` opens another connection than the one at `place`.
    private func isAnother(_ place: Int, _ sequence: TCPSequence, _ isSourceFirst: Bool) -> Bool {
        let flow = flows[place]
        // The server may send a SYN, too: to open the same connection (RFC 9293, section 3.5), or another one after its
        // end.
        guard flow.isClientFirst == isSourceFirst else { return flow.hasEnded }
        return flow.initial != sequence
    }

    /// Whether the sender of a connection's first captured packet is its client.
    private static func isClient(
        _ tcp: TCPHeader,
        _ source: Endpoint,
        _ destination: Endpoint,
        _ timed: TimedPacket
    ) -> Bool {
        // In a damaged packet, the SYN bit may be the wrong one.
        if tcp.flags.contains(.syn), !timed.isDamaged { return !tcp.flags.contains(.acknowledgment) }
        return timed.direction.map { $0 == .uplink } ?? (source.port > destination.port)
    }
}
