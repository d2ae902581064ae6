// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension CapturedPacket {
    /// The packet's fate, from its first comment that contains a fate; nil if no comment does.
    package var fate: PacketFate? { comments.lazy.compactMap { PacketFate(comment: $0) }.first }

    /// The direction in which a link carries the packet: the direction of the fate's lane, or else the direction that
    /// the capture recorded; nil if neither is known.
    ///
    /// - Parameter fate: the packet's ``fate``, which the caller has parsed: parsing is slow.
    package func linkDirection(_ fate: PacketFate?) -> LinkProfiles.Direction? {
        fate?.lane.direction ?? direction.ofLink
    }
}

extension CapturedPacket.Direction {
    /// The direction on a link whose near end is the interface's host; nil for `unknown`.
    package var ofLink: LinkProfiles.Direction? {
        switch self {
        case .unknown: nil
        case .inbound: .downlink
        case .outbound: .uplink
        }
    }
}
