// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// An address of an interface: a line of `ip address show`.
public struct InterfaceAddress: Hashable, Sendable {
    /// The scope of an address (rtm_scope in rtnetlink(7)).
    public struct Scope: RawRepresentable, Hashable, Sendable {
        /// The number in linux/rtnetlink.h; a narrower scope has a greater number.
        public let rawValue: UInt8
        /// Makes a scope from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Valid everywhere.
        public static let global = Scope(rawValue: 0)
        /// Valid on the link.
        public static let link = Scope(rawValue: 253)
        /// Valid on this host.
        public static let host = Scope(rawValue: 254)
    }

    /// The flags of an address (`IFA_F_` in linux/if_addr.h).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits of IFA_FLAGS.
        public let rawValue: UInt32
        /// Makes flags from their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Usable before duplicate address detection has finished (RFC 4429).
        public static let optimistic = Flags(rawValue: 0x04)
        /// Another host on the link has the address.
        public static let duplicate = Flags(rawValue: 0x08)
        /// Not to be used for new connections.
        public static let deprecated = Flags(rawValue: 0x20)
        /// Duplicate address detection has not finished (RFC 4862).
        public static let tentative = Flags(rawValue: 0x40)
    }

    /// The index of the interface.
    public let index: Int32
    /// The address of this host, without scope.
    public let address: IPAddress
    /// The address of the other end of a point-to-point link; nil if there is none.
    public let peer: IPAddress?
    /// The length of the network prefix in bits.
    public let prefixLength: UInt8
    /// The scope.
    public let scope: Scope
    /// The flags.
    public let flags: Flags

    /// Whether packets may have this address as their source: it is neither a duplicate nor tentative, unless it is
    /// optimistic.
    public var isUsable: Bool {
        !flags.contains(.duplicate) && (!flags.contains(.tentative) || flags.contains(.optimistic))
    }

    init?(_ body: ArraySlice<UInt8>) {
        guard let (header, attributes) = body.parse(ifaddrmsg.self),
            [AF_INET, AF_INET6].contains(CInt(header.ifa_family))
        else { return nil }
        // IFA_ADDRESS is the peer's address if IFA_LOCAL is present (linux/if_addr.h).
        let local = attributes.address(Int(IFA_LOCAL))
        let other = attributes.address(Int(IFA_ADDRESS))
        guard let address = local ?? other else { return nil }
        index = Int32(bitPattern: header.ifa_index)
        self.address = address
        peer = local == nil || other == local ? nil : other
        prefixLength = header.ifa_prefixlen
        scope = Scope(rawValue: header.ifa_scope)
        flags = Flags(rawValue: attributes.value(Int(IFA_FLAGS)) ?? UInt32(header.ifa_flags))
    }
}

extension AttributeReader {
    /// Returns the payload of the attribute `type` as an address.
    func address(_ type: Int) -> IPAddress? {
        self[type].flatMap { IPAddress(bytes: Array($0)) }
    }
}

extension RouteConnection {
    /// Returns every address of the namespace.
    package func addresses() throws(NetlinkError) -> [InterfaceAddress] {
        let request = Request("list the addresses", type: Int(RTM_GETADDR), flags: NLM_F_DUMP) {
            $0.append(ifaddrmsg())
        }
        return try replies(to: request).compactMap { $0.type == RTM_NEWADDR ? InterfaceAddress($0.body) : nil }
    }
}

extension IPAddress.Family {
    /// The kernel's number of the family.
    var number: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }
    /// The length of an address in bits.
    public var bitWidth: UInt8 { self == .ipv4 ? 32 : 128 }
    /// The bytes of the unspecified address.
    var unspecified: [UInt8] { [UInt8](repeating: 0, count: Int(bitWidth) / 8) }

    init?(number: UInt8) {
        switch CInt(number) {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }
}
