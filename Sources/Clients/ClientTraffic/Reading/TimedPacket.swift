// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// A packet of a capture with the times that its fate tells.
struct TimedPacket {
    /// The limit of times, in nanoseconds from 1970: differences of two never overflow. Year 2043.
    private static let limit: Int64 = 1 << 61

    /// The packet's number and times.
    private(set) var observed: ObservedPacket
    /// False for a copy, or a packet of its own, that the link made.
    let isSent: Bool
    /// Whether a fault made it, in the name of one end: that end has done nothing.
    let isMade: Bool
    /// Whether the link changed a bit of it: its ports, its numbers and its payload may be wrong. Its receiver discards
    /// it.
    let isDamaged: Bool
    /// The packet's lane; nil if the capture does not say.
    let lane: Lane?
    /// The direction of its lane, or else the way that the capture tells; nil if it tells neither.
    let direction: Direction?
    /// The packets on the wire that it stands for.
    let wirePackets: Int

    /// Whether it travels in the downlink lane, where the host receives it.
    var isReceived: Bool { lane?.direction == .downlink }

    /// The packet, of which more is known: when it was delivered, or that it was not.
    func delivered(at time: Instant?) -> TimedPacket {
        var packet = self
        packet.observed.delivered = time
        return packet
    }

    /// Understands a packet.
    ///
    /// A packet that a host receives is captured when it is delivered, any other when it is sent. Without a fate there
    /// is one moment for both.
    init(_ packet: CapturedPacket, _ fate: PacketFate?, number: Int) {
        let time = min(max(packet.time, -Self.limit), Self.limit)
        let delay = fate?.delayNanoseconds
        let isReceived = fate?.lane.direction == .downlink
        let sent = isReceived ? time - (delay ?? fate?.dueNanoseconds ?? 0) : time
        var delivered: Int64?
        switch fate?.fate {
        case nil: delivered = time
        case .passed, .duplicate, .marked: delivered = isReceived ? time : time + (delay ?? 0)
        case .corrupted, .dropped: delivered = nil
        }
        observed = ObservedPacket(
            number: number,
            sent: Instant(nanoseconds: sent),
            delivered: delivered.map { Instant(nanoseconds: $0) }
        )
        isMade = fate?.maker != nil
        isSent = fate.map { $0.fate != .duplicate && !$0.isCopy && $0.maker == nil } ?? true
        isDamaged = fate?.fate == .corrupted
        lane = fate?.lane
        direction = packet.linkDirection(fate)
        wirePackets = min(max(fate?.packets ?? 1, 1), 1 << 16)
    }
}
