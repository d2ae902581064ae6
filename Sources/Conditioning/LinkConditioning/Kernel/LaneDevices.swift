// SPDX-License-Identifier: Apache-2.0

package import Netlink
internal import PacketPump
internal import TrafficControl

/// Distinguishes linkcond's own devices from links of this host.
package enum LaneDevices {
    /// Whether linkcond created the device for a lane.
    @Sendable package static func contains(_ link: Link) -> Bool {
        contains(kind: link.kind, name: link.name, alias: link.alias)
    }

    /// Whether linkcond created the device for a lane: an ifb, a TAP device or one end of a veth pair, with a lane's
    /// name or alias.
    ///
    /// The name suffices, since the alias is set after the device appears, and the kernel reports the alias only once
    /// the device is up (netdev_state_change).
    package static func contains(kind: String?, name: String, alias: String?) -> Bool {
        guard LaneState.kinds.contains(kind) else { return false }
        return LaneName(VethPair.nearEnd(of: name) ?? name) != nil || alias.flatMap { LaneAlias($0) } != nil
    }
}
