// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// The known facts about a connection, or about another flow of packets between two ends, that a fault may match.
struct FaultConnection {
    struct Ends: Hashable {
        var near: FaultEnd
        var far: FaultEnd
        var transport: UInt8

        init(of packet: FaultedPacket) {
            (near, far, transport) = (packet.near, packet.far, packet.ip.transportProtocol)
        }

        /// The protocol; nil for one that faults have no name for.
        var `protocol`: TransportProtocol? { FaultedPacket.numbers[transport] }

        init(of connection: OpenConnection) { (near, far, transport) = (connection.near, connection.far, 6) }
    }

    /// A fault that is about its ends.
    struct Candidate {
        /// The index of the fault.
        let fault: Int
        /// The place of this connection among those that the fault is about, from 1 on.
        let connectionNumber: Int
        /// Whether it may happen to packets after the first.
        let isForLaterPackets: Bool
        /// The number of packets, or idle times, that the rest of the match was true of.
        var matched = 0
    }

    /// The bytes of a ClientHello beyond this are not joined.
    static let longestHello = 8_192

    /// The faults that can still match one of its packets.
    var candidates: [Candidate]
    /// The times of its first packet and of its latest, in nanoseconds.
    let opened: Int64
    var seen: Int64
    /// For how long nothing was sent before the latest.
    var silence: Int64 = 0
    /// Whether no packet was seen: only faults on idle connections are among the candidates.
    var isUnseen = false
    /// The order of use, which times are too coarse for.
    var used: UInt64 = 0
    /// The direction of what its opener sends.
    let opener: Direction
    /// The number of the opener's SYN; nil if it was not seen.
    let initial: TCPSequence?
    /// Bytes of payload, of both sides.
    var payload: UInt64 = 0
    /// The fault's takeover of it; nil as long as its ends speak with each other.
    var takeover: Takeover?
    /// The opener's first bytes, as long as they may be part of a ClientHello; nil afterwards.
    var hello: [UInt8]? = []
    /// The number of the byte that follows them.
    private var helloEnd: TCPSequence?

    /// Whether no fault can be about what follows in it.
    var isSettled: Bool { takeover == nil && !isUnseen && !candidates.contains(where: \.isForLaterPackets) }

    init(_ candidates: [Candidate], _ packet: FaultedPacket, at now: Int64) {
        self.candidates = candidates
        (opened, seen) = (now, now)
        // Without its SYN, the conditioned host is taken for the opener.
        opener = packet.isOpening ? packet.direction : .uplink
        initial = packet.isOpening ? packet.tcp?.sequence : nil
    }

    /// A connection that was open before the faults came into effect.
    init(_ candidates: [Candidate], _ open: OpenConnection, at now: Int64) {
        self.candidates = candidates
        (opened, seen, opener, initial, isUnseen) = (now, now, open.opener, nil, true)
    }

    /// Adds what the opener sends to its first bytes.
    mutating func noteHello(_ packet: FaultedPacket) {
        guard packet.direction == opener, let tcp = packet.tcp, let known = hello, !packet.data.isEmpty else { return }
        if let helloEnd, helloEnd != tcp.sequence { return }
        let all = known + packet.data
        // Records of a handshake only.
        guard all[0] == 22, all.count <= Self.longestHello else {
            hello = nil
            return
        }
        hello = all
        helloEnd = tcp.sequence + packet.payload.count
    }

    /// The name of the ClientHello that the opener has just completed; nil if it has not, or "" if it names none.
    mutating func completedHello() -> String? {
        guard let hello, let handshake = Self.handshake(hello) else { return nil }
        guard TLSHello.isWhole(handshake) else { return nil }
        self.hello = nil
        return TLSHello.serverName(handshake) ?? ""
    }

    /// The content of the records (RFC 8446, section 5.1).
    private static func handshake(_ bytes: [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        var cursor = ByteCursor(bytes[...])
        while cursor.byte() == 22, cursor.word() != nil, let record = cursor.field(lengthBytes: 2) { content += record }
        return content.isEmpty ? nil : content
    }
}
