// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// The state of a connection, or of another flow of packets between two ends, that faults may match.
struct FaultConnection {
    struct Ends: Hashable {
        var near: FaultEnd
        var far: FaultEnd
        var transport: UInt8

        init(of packet: FaultedPacket) {
            (near, far, transport) = (packet.near, packet.far, packet.ip.transportProtocol)
        }

        /// The protocol; nil if faults have no name for its number.
        var `protocol`: TransportProtocol? { FaultedPacket.numbers[transport] }

        init(of connection: OpenConnection) { (near, far, transport) = (connection.near, connection.far, 6) }
    }

    /// A fault whose match includes the ends of this connection.
    struct Candidate {
        /// The index of the fault.
        let fault: Int
        /// The number of this connection among the connections that the fault concerns, from 1.
        let connectionNumber: Int
        /// Whether the fault may match packets after the connection's first.
        let isForLaterPackets: Bool
        /// The number of packets, or of idle times, so far that matched apart from their ordinal and from chance.
        var matched = 0
    }

    /// The maximum length in bytes of a ClientHello that is assembled from several packets.
    static let longestHello = 8_192

    /// The faults that can still match a packet of this connection.
    var candidates: [Candidate]
    /// The times of the connection's first packet and of its latest, in nanoseconds.
    let opened: Int64
    var seen: Int64
    /// The idle time before the latest packet, in nanoseconds.
    var silence: Int64 = 0
    /// Whether no packet was seen yet since the faults came into effect. Until then `candidates` has only the faults
    /// that can act without a packet.
    var isUnseen = false
    /// The ordinal of the latest use, by which connections are forgotten: times are too coarse for an order.
    var used: UInt64 = 0
    /// The direction in which the opener of the connection sends.
    let opener: Direction
    /// The sequence number of the opener's SYN; nil if the SYN was not seen.
    let initial: TCPSequence?
    /// The bytes of payload that both sides have sent.
    var payload: UInt64 = 0
    /// The state of the fault that has taken the connection over; nil while its ends still exchange packets.
    var takeover: Takeover?
    /// The opener's first bytes while they may be part of an incomplete ClientHello; nil afterwards.
    var hello: [UInt8]? = []
    /// The sequence number of the byte after `hello`.
    private var helloEnd: TCPSequence?

    /// Whether no fault can match any later packet of this connection.
    var isSettled: Bool { takeover == nil && !isUnseen && !candidates.contains(where: \.isForLaterPackets) }

    init(_ candidates: [Candidate], _ packet: FaultedPacket, at now: Int64) {
        self.candidates = candidates
        (opened, seen) = (now, now)
        // If the SYN was not seen, the conditioned host is assumed to be the opener.
        opener = packet.isOpening ? packet.direction : .uplink
        initial = packet.isOpening ? packet.tcp?.sequence : nil
    }

    /// Makes the state of a connection that was open before the faults came into effect.
    init(_ candidates: [Candidate], _ open: OpenConnection, at now: Int64) {
        self.candidates = candidates
        (opened, seen, opener, initial, isUnseen) = (now, now, open.opener, nil, true)
    }

    /// Appends the opener's data to `hello`; sets `hello` to nil once the data cannot be a ClientHello.
    mutating func noteHello(_ packet: FaultedPacket) {
        guard packet.direction == opener, let tcp = packet.tcp, let known = hello, !packet.data.isEmpty else { return }
        if let helloEnd, helloEnd != tcp.sequence { return }
        let all = known + packet.data
        // A TLS record of type 22, handshake.
        guard all[0] == 22, all.count <= Self.longestHello else {
            hello = nil
            return
        }
        hello = all
        helloEnd = tcp.sequence + packet.payload.count
    }

    /// Returns the server name of the ClientHello in `hello` once that is complete, and sets `hello` to nil; nil while
    /// it is incomplete, "" if it has no server name.
    mutating func completedHello() -> String? {
        guard let hello, let handshake = Self.handshake(hello) else { return nil }
        guard TLSHello.isWhole(handshake) else { return nil }
        self.hello = nil
        return TLSHello.serverName(handshake) ?? ""
    }

    /// The joined contents of complete TLS handshake records (RFC 8446, section 5.1); nil if there are none.
    private static func handshake(_ bytes: [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        var cursor = ByteCursor(bytes[...])
        while cursor.byte() == 22, cursor.word() != nil, let record = cursor.field(lengthBytes: 2) { content += record }
        return content.isEmpty ? nil : content
    }
}
