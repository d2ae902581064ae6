// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// A packet of a capture with its sending and delivery times, which depend on its fate.
struct TimedPacket {
    /// The limit of times, in nanoseconds from 1970: the difference of two times never overflows. Year 2043.
    private static let limit: Int64 = 1 << 61

    /// The packet's number and times.
    private(set) var observed: ObservedPacket
    /// Whether a side sent the packet: false for a copy that the link made, or an injected packet.
    let isSent: Bool
    /// Whether a fault injected the packet in the name of one end, which has not sent it.
    let isInjected: Bool
    /// Whether the link changed a bit of the packet: ports, numbers and payload may be wrong. The receiver discards it.
    let isDamaged: Bool
    /// The packet's lane; nil if the capture does not say.
    let lane: Lane?
    /// The direction of the packet's lane, or else the direction in the capture; nil if neither is known.
    let direction: Direction?
    /// The number of packets on the wire: several for a super-packet (GSO).
    let wirePackets: Int

    /// Whether the packet is in the downlink lane, in which the host receives packets.
    var isDownlink: Bool { lane?.direction == .downlink }

    /// A copy of the packet that was delivered at `time`, or not at all if that is nil.
    func delivered(at time: Instant?) -> TimedPacket {
        var packet = self
        packet.observed.delivered = time
        return packet
    }

    /// Derives a packet's times from its fate.
    ///
    /// A packet that a host receives is captured at its delivery, any other at its sending. Without a fate, both times
    /// are equal.
    init(_ packet: CapturedPacket, _ fate: PacketFate?, number: Int) {
        let time = min(max(packet.time, -Self.limit), Self.limit)
        let delay = fate?.delayNanoseconds
        let isDownlink = fate?.lane.direction == .downlink
        let sent = isDownlink ? time - (delay ?? fate?.dueNanoseconds ?? 0) : time
        var delivered: Int64?
        switch fate?.fate {
        case nil: delivered = time
        case .passed, .duplicate, .marked: delivered = isDownlink ? time : time + (delay ?? 0)
        case .corrupted, .dropped: delivered = nil
        }
        observed = ObservedPacket(
            number: number,
            sent: Instant(nanoseconds: sent),
            delivered: delivered.map { Instant(nanoseconds: $0) }
        )
        isInjected = fate?.maker != nil
        isSent = fate.map { $0.fate != .duplicate && !$0.isCopy && $0.maker == nil } ?? true
        isDamaged = fate?.fate == .corrupted
        lane = fate?.lane
        direction = packet.linkDirection(fate)
        wirePackets = min(max(fate?.packets ?? 1, 1), 1 << 16)
    }
}
