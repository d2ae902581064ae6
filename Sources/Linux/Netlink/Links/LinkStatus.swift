// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// An interface with its state, as `ip -d link show` prints it.
public struct LinkStatus: Hashable, Sendable {
    /// The state of RFC 2863 (`IF_OPER_` in linux/if.h). Many virtual devices are `unknown` while they are operational.
    public enum OperationalState: UInt8, CaseIterable, Sendable {
        case unknown, notPresent, down, lowerLayerDown, testing, dormant, up
    }

    /// The flags of netdevice(7) that describe an interface's state.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits of `ifi_flags`.
        public let rawValue: UInt32
        /// Makes flags from their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Administratively up.
        public static let up = Flags(rawValue: 1 << 0)
        /// The network supports broadcast.
        public static let broadcast = Flags(rawValue: 1 << 1)
        /// The loopback device.
        public static let loopback = Flags(rawValue: 1 << 3)
        /// The link is a point-to-point link.
        public static let pointToPoint = Flags(rawValue: 1 << 4)
        /// Up, and operational in the sense of RFC 2863.
        public static let running = Flags(rawValue: 1 << 6)
        /// The interface does not resolve addresses of neighbours.
        public static let noARP = Flags(rawValue: 1 << 7)
        /// Up, and the driver signals a carrier.
        public static let lowerUp = Flags(rawValue: 1 << 16)
        /// Waiting for an event, such as 802.1X.
        public static let dormant = Flags(rawValue: 1 << 17)
    }

    /// The interface.
    public let link: Link
    /// The flags.
    public let flags: Flags
    /// The state of RFC 2863.
    public let operationalState: OperationalState
    /// Whether the driver signals a carrier; many drivers do not signal it while the interface is down.
    public let hasCarrier: Bool
    /// The number of carrier changes since the device was created.
    public let carrierChanges: UInt32
    /// The index of the bridge, bond or VRF that the interface belongs to.
    public let master: Int32?
    /// The index of the underlying device, or of the other end of a veth.
    public let lower: Int32?
    /// The identifier of the network namespace of `lower`; nil if that is in the interface's own namespace.
    public let lowerNamespace: Int32?
    /// The hardware type: `ARPHRD_` in linux/if_arp.h.
    public let hardwareType: UInt16
    /// The link-layer address.
    public let hardwareAddress: [UInt8]

    init?(_ reply: Reply) {
        guard let link = Link(reply), let (header, attributes) = reply.body.parse(ifinfomsg.self) else { return nil }
        self.link = link
        flags = Flags(rawValue: header.ifi_flags)
        operationalState = attributes.value(Int(IFLA_OPERSTATE)).flatMap(OperationalState.init(rawValue:)) ?? .unknown
        hasCarrier = attributes.value(Int(IFLA_CARRIER), as: UInt8.self).map { $0 != 0 } ?? flags.contains(.lowerUp)
        carrierChanges = attributes.value(Int(IFLA_CARRIER_CHANGES)) ?? 0
        master = attributes.value(Int(IFLA_MASTER), as: Int32.self).flatMap { $0 == 0 ? nil : $0 }
        lower = attributes.value(Int(IFLA_LINK), as: Int32.self).flatMap { $0 == 0 ? nil : $0 }
        lowerNamespace = attributes.value(Int(IFLA_LINK_NETNSID))
        hardwareType = header.ifi_type
        hardwareAddress = attributes[Int(IFLA_ADDRESS)].map(Array.init) ?? []
    }
}

extension RouteConnection {
    /// Returns the interface called `name` with its state. Since Linux 6.8, the state reflects a carrier that has just
    /// changed; before, that may take a second.
    ///
    /// - Throws: ENODEV if there is none.
    package func linkStatus(named name: String) throws(NetlinkError) -> LinkStatus {
        let operation = "find the state of \(name)"
        let request = Request(operation, type: Int(RTM_GETLINK), interface: name)
        guard let status = try replies(to: request).lazy.compactMap({ LinkStatus($0) }).first else {
            throw NetlinkError(operation: operation, code: ENODEV)
        }
        return status
    }

    /// Returns every interface of the namespace with its state.
    package func linkStatuses() throws(NetlinkError) -> [LinkStatus] {
        try linkReplies().compactMap { LinkStatus($0) }
    }
}
