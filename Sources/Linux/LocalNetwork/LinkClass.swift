// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The kind of link that an interface is for senders.
public enum LinkClass: String, CaseIterable, Codable, Sendable {
    /// This host itself.
    case loopback
    /// A wired network card.
    case ethernet
    /// A wireless network card (802.11).
    case wifi
    /// A modem for a mobile network.
    case wwan
    /// A tunnel: packets are encapsulated, as in a VPN, or go to a program.
    case tunnel
    /// A bridge, bond or team: several links as one.
    case bridge
    /// Another software device: veth, VLAN, macvlan, dummy.
    case virtual
    /// None of these.
    case other

    /// Chooses the class by the driver's kind (IFLA_INFO_KIND), then by sysfs, then by the type of frames.
    init(_ status: LinkStatus, _ facts: DeviceFacts) {
        if status.link.isLoopback {
            self = .loopback
        } else if let kind = status.link.kind {
            self = Self.kinds[kind] ?? .virtual
        } else if facts.isWireless {
            self = .wifi
        } else if facts.type == "wwan" {
            self = .wwan
        } else if status.link.hasEthernetHeader {
            self = .ethernet
        } else {
            self = status.link.hasNoHeader ? .tunnel : .other
        }
    }

    /// The classes of the kernel's `rtnl_link_ops` kinds; other kinds are virtual.
    private static let kinds: [String: LinkClass] = {
        let tunnels = [
            "wireguard", "tun", "ipip", "sit", "ip6tnl", "gre", "gretap", "ip6gre", "ip6gretap", "erspan", "ip6erspan",
            "vti", "vti6", "xfrm", "vxlan", "geneve", "gtp", "bareudp", "l2tpeth", "ovpn", "ppp", "amt",
        ]
        var kinds = Dictionary(uniqueKeysWithValues: tunnels.map { ($0, LinkClass.tunnel) })
        for kind in ["bridge", "bond", "team"] { kinds[kind] = .bridge }
        for kind in ["wwan", "rmnet"] { kinds[kind] = .wwan }
        return kinds
    }()
}
