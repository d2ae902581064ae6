// SPDX-License-Identifier: Apache-2.0

/// One connection, from the first packet that opens it to the last: of TCP, or packets of UDP between the same endpoints.
///
/// A client that opens a connection anew from the same port, after the old one has ended, makes a new one.
package struct Connection: Hashable, Sendable {
    package enum Carrier: String, Hashable, Sendable {
        case tcp
        case udp
        /// QUIC, as far as its long headers tell (RFC 9000, section 17.2).
        case quic
    }

    /// A side of a connection.
    package enum Side: String, Hashable, Sendable {
        case client
        case server

        package static let both = [client, server]
    }

    /// The way in which a side ended a TCP connection.
    package struct Ending: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable {
            /// FIN: it sends no more.
            case finish
            /// RST: it is gone at once.
            case reset
        }

        package var kind: Kind
        package var side: Side
        package var packet: ObservedPacket
        /// Whether it is the answer of a kernel that had no such socket any more: an RST without ACK (RFC 9293, section
        /// 3.10.7.1). An RST by which a socket is closed has ACK.
        package var isOfKernel = false
        /// Whether a fault has sent it in the name of the side, which has not ended the connection itself.
        package var isOfFault = false

        /// When the client knew of it: its own when it was sent, the server's when it arrived; nil if that did not.
        package var noticed: Instant? { side == .client ? packet.sent : packet.delivered }

        package init(_ kind: Kind, by side: Side, _ packet: ObservedPacket) {
            (self.kind, self.side, self.packet) = (kind, side, packet)
        }
    }

    /// The relation of a part to a socket's owner.
    package enum Relation: Hashable, Sendable {
        case own
        case other
        /// Unknown: no look has found a holder, or the holder's parents have ended.
        case unknown
    }

    package var carrier: Carrier
    /// The end that opened it.
    package var client: Endpoint
    /// Whom it was opened to.
    package var server: Endpoint
    /// The name of the server: of SNI, else of the answer to a query that gave its address; nil if none was seen.
    package var serverName: String?
    /// The names in the answers to queries that gave the server's address before, the latest last.
    package var resolvedNames: [String] = []
    /// Whether `serverName` is the client's own word, and not that of an answer: SNI.
    package var isNamedByClient = false
    /// The packets that asked for a connection: SYNs of the client, the first and those sent again. For UDP and QUIC, the
    /// client's first packet only.
    package var attempts: [ObservedPacket]
    /// The packet that accepted it: the first SYN with ACK that was delivered; for UDP, the first answer.
    package var accepted: ObservedPacket?
    /// The first packet with payload from the client.
    package var firstRequest: ObservedPacket?
    /// Every packet with new payload from the server that was delivered, in order of delivery: at most one a millisecond
    /// is kept, the first always.
    package var answers: [ObservedPacket] = []
    /// Every packet with payload or control bits that the client sent, retransmissions among them: at most one a
    /// millisecond is kept, the first always. The times tell until when it tried.
    package var clientPackets: [ObservedPacket] = []
    /// The ends of each side, in the order in which they were sent; retransmitted ones once.
    package var endings: [Ending] = []
    /// The requests of HTTP that could be read, in order.
    package var requests: [ObservedRequest] = []
    /// Whether the client went on after what could be read of its requests.
    package var hasUnreadRequests = false
    /// Whether there was no memory for all of its requests, which are counted.
    package var hasUnkeptRequests = false
    /// Packets that carried payload, SYN or FIN again.
    package var retransmissions: [Retransmission] = []
    /// Bytes of IP packets that the client sent, and that the server sent.
    package var bytes = SideCounts()
    /// Bytes of payload that the client sent for the first time, and the server.
    package var payloadBytes = SideCounts()
    /// Packets of each side.
    package var packets = SideCounts()
    /// The bytes of IP packets by time, in pieces of 10 ms that are not empty, in order.
    package var volume: [Volume] = []
    /// Facts about QUIC from the datagrams' headers; empty for TCP.
    package var quic = QUICUse()
    /// The round trips of its data and acknowledgements, without those of the handshake.
    package var roundTrips = DurationSummary()
    /// The version that a TLS handshake agreed on, such as "TLS 1.3"; nil if none was seen.
    package var tlsVersion: String?
    /// The moment at which the TLS handshake was complete for the client, as far as the packets tell; nil if it was not.
    package var secured: ObservedPacket?
    /// The readable content in TLS; nil if it is no TLS, or if no decryption was tried.
    package var tls: TLSContent?
    /// The processes that held the client's socket, such as "curl (1234)", as far as looks at the sockets tell.
    package var owners: [String] = []
    /// The time at which the client sent a packet that may be of it before `firstPacket`: the link damaged that. Nil if
    /// there was none.
    package var mayHaveBegun: Instant?
    /// Whether a packet that the link damaged may have been the client's last: its RST, or its FIN.
    package var mayHaveEnded = false
    /// Whether its first packet came from outside the host: it is the network's doing, and none of the client's.
    package var isFromOutside = false
    /// Whether it belongs to the processes that a part of a run is about.
    package var relation = Relation.own

    package init(_ carrier: Carrier, client: Endpoint, server: Endpoint, attempts: [ObservedPacket] = []) {
        (self.carrier, self.client, self.server, self.attempts) = (carrier, client, server, attempts)
    }

    /// The readable content of a TLS connection.
    package struct TLSContent: Hashable, Sendable {
        /// Whether the client sent more than a handshake and alerts.
        package var hasClientContent: Bool
        /// The reason why not all of it could be read; nil if it could.
        package var obstacle: TLSObstacle?

        package init(hasClientContent: Bool, obstacle: TLSObstacle? = nil) {
            (self.hasClientContent, self.obstacle) = (hasClientContent, obstacle)
        }
    }

    /// The names that its packets give the server, in lower case: of SNI and of the field Host. Without either, all of
    /// DNS: several hosts may have one address.
    package var names: Set<String> {
        var own = Set(requests.compactMap { $0.host.flatMap(Peer.init(parsing:))?.host })
        if isNamedByClient, let serverName { own.insert(serverName.lowercased()) }
        return own.isEmpty ? Set(([serverName].compactMap { $0 } + resolvedNames).map { $0.lowercased() }) : own
    }

    /// The server, with its name if that is known.
    package var peerName: String { serverName.map { "\($0) (\(server))" } ?? "\(server)" }

    /// The packet by which findings and reports name it.
    package var firstPacket: ObservedPacket? { attempts.first ?? clientPackets.first }

    /// The first end that a side sent: of a kind, or of any.
    package func ending(by side: Side, _ kind: Ending.Kind? = nil) -> Ending? {
        endings.first { $0.side == side && (kind == nil || $0.kind == kind) }
    }

    /// The number of packets that each side sent again.
    package var retransmissionCounts: SideCounts {
        retransmissions.reduce(into: SideCounts()) { $0[$1.side] += 1 }
    }
}

/// The bytes and packets that a connection sent in a period.
package struct Volume: Hashable, Sendable {
    /// The length of a piece, in nanoseconds.
    package static let length: Int64 = 10_000_000

    /// The start of the piece.
    package var begin: Instant
    /// Bytes of IP packets, by the time at which they were sent.
    package var bytes: SideCounts

    package init(_ begin: Instant, _ bytes: SideCounts) {
        (self.begin, self.bytes) = (begin, bytes)
    }
}

/// A number for each side.
package struct SideCounts: Hashable, Sendable {
    package var client = 0
    package var server = 0

    package init(client: Int = 0, server: Int = 0) { (self.client, self.server) = (client, server) }

    package subscript(side: Connection.Side) -> Int {
        get { side == .client ? client : server }
        set { if side == .client { client = newValue } else { server = newValue } }
    }
}

/// A packet that carries again what was sent before.
package struct Retransmission: Hashable, Sendable {
    package var side: Connection.Side
    package var packet: ObservedPacket
    /// Whether it is a SYN.
    package var isOpening: Bool

    package init(by side: Connection.Side, _ packet: ObservedPacket, isOpening: Bool) {
        (self.side, self.packet, self.isOpening) = (side, packet, isOpening)
    }
}
