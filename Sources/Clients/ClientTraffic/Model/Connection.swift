// SPDX-License-Identifier: Apache-2.0

/// A TCP connection, or a UDP flow (the packets between two endpoints), from its first packet to its last.
///
/// A client that connects again from the same port makes another `Connection`.
package struct Connection: Hashable, Sendable {
    package enum Carrier: String, Hashable, Sendable {
        case tcp
        case udp
        /// QUIC, recognized by its long headers (RFC 9000, section 17.2).
        case quic
    }

    /// A side of a connection.
    package enum Side: String, Hashable, Sendable {
        case client
        case server

        package static let both = [client, server]
    }

    /// A FIN or RST by which a side ended a TCP connection.
    package struct Ending: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable {
            /// FIN: the side sends no more data.
            case finish
            /// RST: the side aborted the connection.
            case reset
        }

        package var kind: Kind
        package var side: Side
        package var packet: ObservedPacket
        /// Whether a kernel that no longer had the socket sent the packet: an RST without ACK (RFC 9293, section
        /// 3.10.7.1). An RST by which a process closes a socket has ACK.
        package var isOfKernel = false
        /// Whether a fault injected the packet in the side's name: the side itself has not ended the connection.
        package var isOfFault = false

        /// The time at which the client knew of the end: when its own packet was sent, or the server's was delivered;
        /// nil if the server's was not delivered.
        package var noticed: Instant? { side == .client ? packet.sent : packet.delivered }

        package init(_ kind: Kind, by side: Side, _ packet: ObservedPacket) {
            (self.kind, self.side, self.packet) = (kind, side, packet)
        }
    }

    /// The relation of a socket's owner to the processes that a part of a run is about.
    package enum Relation: Hashable, Sendable {
        case own
        case other
        /// Unknown: no scan of the sockets found the owner, or the owner's parents have exited.
        case unknown
    }

    package var carrier: Carrier
    /// The endpoint that opened the connection.
    package var client: Endpoint
    /// The endpoint to which the client connected.
    package var server: Endpoint
    /// The server's name: from SNI, else from the DNS answer that gave the server's address; nil if neither was seen.
    package var serverName: String?
    /// The names whose DNS answers gave the server's address before the connection started, the latest last.
    package var resolvedNames: [String] = []
    /// Whether `serverName` is from the client's SNI, and not from a DNS answer.
    package var isNamedByClient = false
    /// The client's SYNs, with their retransmissions. For UDP and QUIC, only the client's first packet.
    package var attempts: [ObservedPacket]
    /// The packet that accepted the connection: the first SYN-ACK that was delivered; for UDP, the first answer.
    package var accepted: ObservedPacket?
    /// The first packet with payload from the client.
    package var firstRequest: ObservedPacket?
    /// The server's delivered packets with new payload, in order of delivery. At most one a millisecond is kept, the
    /// first always.
    package var answers: [ObservedPacket] = []
    /// The client's packets with payload or control bits, retransmissions included. At most one a millisecond is kept,
    /// the first always. The last shows until when the client tried.
    package var clientPackets: [ObservedPacket] = []
    /// The FINs and RSTs of both sides, in the order in which they were sent, without retransmissions.
    package var endings: [Ending] = []
    /// The HTTP requests that could be read, in order.
    package var requests: [ObservedRequest] = []
    /// Whether the client sent more than the requests that could be read.
    package var hasUnreadRequests = false
    /// Whether some requests are not kept for lack of memory, but only counted.
    package var hasUnkeptRequests = false
    /// Packets that retransmitted payload, a SYN or a FIN.
    package var retransmissions: [Retransmission] = []
    /// The bytes of the IP packets that each side sent.
    package var bytes = SideCounts()
    /// The bytes of payload that each side sent, without retransmissions.
    package var payloadBytes = SideCounts()
    /// The number of packets that each side sent.
    package var packets = SideCounts()
    /// The bytes of IP packets by time: periods of 10 ms in order, without empty ones.
    package var volume: [Volume] = []
    /// Facts about QUIC from the datagrams' headers; empty for TCP.
    package var quic = QUICUse()
    /// The round-trip times of data and acknowledgements, without the handshake's.
    package var roundTrips = DurationSummary()
    /// The negotiated TLS version, such as "TLS 1.3"; nil if no handshake was seen.
    package var tlsVersion: String?
    /// The packet that shows that the TLS handshake was complete for the client; nil if none does.
    package var secured: ObservedPacket?
    /// The result of decrypting TLS; nil if the connection is not TLS, or if decryption was not tried.
    package var tls: TLSContent?
    /// The processes that scans of the sockets found to hold the client's socket, such as "curl (1234)".
    package var owners: [String] = []
    /// The time of a damaged packet of the client before `firstPacket` that may belong to this connection; nil if there
    /// was none.
    package var mayHaveBegun: Instant?
    /// Whether a damaged packet may have been the client's FIN or RST.
    package var mayHaveEnded = false
    /// Whether the first packet came from outside the host: the client did not open the connection.
    package var isFromOutside = false
    /// The relation of the socket's owner to the processes that a part of a run is about.
    package var relation = Relation.own

    package init(_ carrier: Carrier, client: Endpoint, server: Endpoint, attempts: [ObservedPacket] = []) {
        (self.carrier, self.client, self.server, self.attempts) = (carrier, client, server, attempts)
    }

    /// The result of decrypting a TLS connection.
    package struct TLSContent: Hashable, Sendable {
        /// Whether the client sent more than a handshake and alerts.
        package var hasClientContent: Bool
        /// The reason why not all of the content could be read; nil if it could.
        package var obstacle: TLSObstacle?

        package init(hasClientContent: Bool, obstacle: TLSObstacle? = nil) {
            (self.hasClientContent, self.obstacle) = (hasClientContent, obstacle)
        }
    }

    /// The server's names from SNI and the Host field, in lower case. Without either, all names from DNS answers:
    /// several hosts may share one address.
    package var names: Set<String> {
        var own = Set(requests.compactMap { $0.host.flatMap(Peer.init(parsing:))?.host })
        if isNamedByClient, let serverName { own.insert(serverName.lowercased()) }
        return own.isEmpty ? Set(([serverName].compactMap { $0 } + resolvedNames).map { $0.lowercased() }) : own
    }

    /// The server's name and endpoint; only the endpoint if the name is not known.
    package var peerName: String { serverName.map { "\($0) (\(server))" } ?? "\(server)" }

    /// The packet by which findings and reports identify the connection.
    package var firstPacket: ObservedPacket? { attempts.first ?? clientPackets.first }

    /// The first FIN or RST that `side` sent; only a packet of `kind`, unless that is nil.
    package func ending(by side: Side, _ kind: Ending.Kind? = nil) -> Ending? {
        endings.first { $0.side == side && (kind == nil || $0.kind == kind) }
    }

    /// The number of packets that each side retransmitted.
    package var retransmissionCounts: SideCounts {
        retransmissions.reduce(into: SideCounts()) { $0[$1.side] += 1 }
    }
}

/// The bytes that each side of a connection sent in a period of 10 ms.
package struct Volume: Hashable, Sendable {
    /// The length of a period, in nanoseconds.
    package static let length: Int64 = 10_000_000

    /// The start of the period.
    package var begin: Instant
    /// The bytes of the IP packets that were sent in the period.
    package var bytes: SideCounts

    package init(_ begin: Instant, _ bytes: SideCounts) {
        (self.begin, self.bytes) = (begin, bytes)
    }
}

/// A count for each side.
package struct SideCounts: Hashable, Sendable {
    package var client = 0
    package var server = 0

    package init(client: Int = 0, server: Int = 0) { (self.client, self.server) = (client, server) }

    package subscript(side: Connection.Side) -> Int {
        get { side == .client ? client : server }
        set { if side == .client { client = newValue } else { server = newValue } }
    }
}

/// A packet that retransmits payload, a SYN or a FIN.
package struct Retransmission: Hashable, Sendable {
    package var side: Connection.Side
    package var packet: ObservedPacket
    /// Whether the packet is a SYN.
    package var isOpening: Bool

    package init(by side: Connection.Side, _ packet: ObservedPacket, isOpening: Bool) {
        (self.side, self.packet, self.isOpening) = (side, packet, isOpening)
    }
}
