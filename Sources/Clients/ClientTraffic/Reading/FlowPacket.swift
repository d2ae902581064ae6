// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// The facts about a packet of a connection that are kept, in 56 bytes, until all packets sent before it have been
/// read.
struct FlowPacket: PacketEvent {
    private static let never = Int64.min

    /// The index of the packet's connection in `ObservedConnections.flows`.
    let connection: UInt32
    let number: UInt32
    private let sent: Int64
    /// The delivery time in nanoseconds since 1970, if ``isDelivered``.
    let delivered: Int64
    let sequence: TCPSequence
    let acknowledgment: TCPSequence
    /// The packet's TCP timestamp (RFC 7323), and the timestamp that it echoes; 0 for none.
    let stamp: TCPSequence
    let echo: TCPSequence
    /// The length of the payload.
    let payload: UInt32
    /// The length on the wire, from the IP header on.
    let length: UInt32
    /// Control bits; none for UDP.
    let flags: TCPHeader.Flags
    private let isClient: Bool
    /// Whether the host receives the packet: it is in the downlink lane, as are a server's answers on loopback.
    let isDownlink: Bool
    /// Whether a side sent the packet: false for a copy that the link made, or an injected packet.
    let isSent: Bool
    /// Whether a fault injected the packet in its side's name.
    let isInjected: Bool
    /// Whether the link changed a bit of the packet.
    let isDamaged: Bool
    private let packets: UInt32

    init(
        _ timed: TimedPacket,
        _ flow: ObservedConnections.Membership,
        tcp: TCPHeader?,
        payload: Int,
        length: Int
    ) {
        self.connection = UInt32(truncatingIfNeeded: flow.number)
        number = UInt32(truncatingIfNeeded: timed.observed.number)
        sent = timed.observed.sent.nanoseconds
        delivered = timed.observed.delivered?.nanoseconds ?? Self.never
        sequence = tcp?.sequence ?? 0
        acknowledgment = tcp?.acknowledgment ?? 0
        (stamp, echo) = tcp?.timestamp.map { ($0.value, $0.echo) } ?? (0, 0)
        self.payload = UInt32(clamping: payload)
        self.length = UInt32(clamping: length)
        flags = tcp?.flags ?? TCPHeader.Flags(rawValue: 0)
        isClient = flow.side == .client
        isDownlink = timed.isDownlink
        isSent = timed.isSent
        isInjected = timed.isInjected
        isDamaged = timed.isDamaged
        packets = UInt32(clamping: timed.wirePackets)
    }

    /// The sending time, in nanoseconds since 1970.
    var time: Int64 { sent }
    var side: Connection.Side { isClient ? .client : .server }
    /// The number of packets on the wire: several for a super-packet (GSO).
    var wirePackets: Int { Int(packets) }
    var isDelivered: Bool { delivered != Self.never }

    /// The packet as evidence.
    var observed: ObservedPacket {
        ObservedPacket(
            number: Int(number),
            sent: Instant(nanoseconds: sent),
            delivered: isDelivered ? Instant(nanoseconds: delivered) : nil
        )
    }
}
