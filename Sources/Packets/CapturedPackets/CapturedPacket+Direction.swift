// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension CapturedPacket {
    /// The packet's fate, from the first comment that tells one; nil without one.
    package var fate: PacketFate? { comments.lazy.compactMap { PacketFate(comment: $0) }.first }

    /// The direction in which a link carries the packet: its lane's, or else the way that the capture tells; nil if neither
    /// is known.
    ///
    /// - Parameter fate: the packet's fate, which takes long to read.
    package func linkDirection(_ fate: PacketFate?) -> LinkProfiles.Direction? {
        fate?.lane.direction ?? direction.ofLink
    }
}

extension CapturedPacket.Direction {
    /// The direction of a link that the interface's host is at the near end of; nil if it is unknown.
    package var ofLink: LinkProfiles.Direction? {
        switch self {
        case .unknown: nil
        case .inbound: .downlink
        case .outbound: .uplink
        }
    }
}
