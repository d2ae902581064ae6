// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A network interface as the kernel lists it: `ip -d link show`.
public struct Link: Hashable, Sendable {
    /// The index of the interface.
    public let index: Int32
    /// The name, at most 15 bytes.
    public let name: String
    /// The kind of a virtual device, such as "ifb" or "veth"; nil for other devices.
    public let kind: String?
    /// The kind of the device of which this one is a port, such as "bridge" or "bond"; nil if it is no port.
    public let portKind: String?
    /// The alias; nil if there is none.
    public let alias: String?
    /// The link-layer address in hexadecimal; empty if there is none.
    public let address: String
    /// The MTU in bytes.
    public let mtu: UInt32
    /// Whether the interface is administratively up.
    public let isUp: Bool
    /// Whether the interface is the loopback device.
    public let isLoopback: Bool
    /// Whether the interface's frames begin with an Ethernet header.
    public let hasEthernetHeader: Bool
    /// Whether the interface's frames begin with the IP header.
    public let hasNoHeader: Bool

    init?(_ reply: Reply) {
        guard reply.type == RTM_NEWLINK, let (header, attributes) = reply.body.parse(ifinfomsg.self),
            let name = attributes.text(Int(IFLA_IFNAME))
        else { return nil }
        index = header.ifi_index
        self.name = name
        kind = attributes.nested(Int(IFLA_LINKINFO))?.text(Int(IFLA_INFO_KIND))
        portKind = attributes.nested(Int(IFLA_LINKINFO))?.text(Int(IFLA_INFO_SLAVE_KIND))
        alias = attributes.text(Int(IFLA_IFALIAS))
        address = (attributes[Int(IFLA_ADDRESS)] ?? []).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
        mtu = attributes.value(Int(IFLA_MTU)) ?? 0
        isUp = header.ifi_flags & UInt32(IFF_UP.rawValue) != 0
        isLoopback = header.ifi_type == UInt16(ARPHRD_LOOPBACK)
        let bare = [ARPHRD_NONE, ARPHRD_PPP, ARPHRD_RAWIP, ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_SIT]
        hasNoHeader = bare.contains { header.ifi_type == UInt16($0) }
        hasEthernetHeader = header.ifi_type == UInt16(ARPHRD_ETHER) || header.ifi_type == UInt16(ARPHRD_LOOPBACK)
    }
}

extension RouteConnection {
    /// Returns every interface of the namespace.
    package func links() throws(NetlinkError) -> [Link] {
        try linkReplies().compactMap { Link($0) }
    }

    /// Returns the kernel's message for every interface.
    func linkReplies() throws(NetlinkError) -> [Reply] {
        let request = Request("list the interfaces", type: Int(RTM_GETLINK), flags: NLM_F_DUMP) {
            $0.append(ifinfomsg())
        }
        return try replies(to: request)
    }

    /// Returns the interface called `name`.
    ///
    /// - Throws: ENODEV if there is none.
    package func link(named name: String) throws(NetlinkError) -> Link {
        let operation = "find the interface \(name)"
        // For a name that is too long, the kernel reports an invalid attribute instead of ENODEV, and a very long name
        // fits into no message.
        var missing = NetlinkError(operation: operation, code: ENODEV)
        missing.missingInterface = name
        guard name.utf8.count <= LinkRequest.maximumNameLength else { throw missing }
        let request = Request(operation, type: Int(RTM_GETLINK), interface: name)
        do throws(NetlinkError) {
            guard let link = try replies(to: request).lazy.compactMap({ Link($0) }).first else { throw missing }
            return link
        } catch  where error.code == ENODEV {
            throw missing
        }
    }
}
