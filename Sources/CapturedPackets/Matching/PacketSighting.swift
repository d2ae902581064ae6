// SPDX-License-Identifier: Apache-2.0

/// A packet seen as it entered a lane of the kernel, or as it left it.
public struct PacketSighting: Hashable, Sendable {
    /// The packet; its interface is the lane.
    public var packet: CapturedPacket
    /// Whether its checksums are final: not if a network card is still to compute them, or if it is a part of a
    /// super-packet.
    public var hasFinalChecksums: Bool

    /// Describes a sighting.
    public init(_ packet: CapturedPacket, hasFinalChecksums: Bool = true) {
        self.packet = packet
        self.hasFinalChecksums = hasFinalChecksums
    }
}
