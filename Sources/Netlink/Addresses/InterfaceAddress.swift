// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// An address of an interface: a line of `ip address show`.
public struct InterfaceAddress: Hashable, Sendable {
    /// How far it holds (rtm_scope in rtnetlink(7)).
    public struct Scope: RawRepresentable, Hashable, Sendable {
        /// The number in linux/rtnetlink.h; the greater, the nearer.
        public let rawValue: UInt8
        /// Makes a scope of its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Everywhere.
        public static let global = Scope(rawValue: 0)
        /// On the link.
        public static let link = Scope(rawValue: 253)
        /// On this host.
        public static let host = Scope(rawValue: 254)
    }

    /// What holds of it (`IFA_F_` in linux/if_addr.h).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits as in IFA_FLAGS.
        public let rawValue: UInt32
        /// Makes flags of their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Usable although it may turn out a duplicate (RFC 4429).
        public static let optimistic = Flags(rawValue: 0x04)
        /// Somebody else on the link has it.
        public static let duplicate = Flags(rawValue: 0x08)
        /// Not for new connections.
        public static let deprecated = Flags(rawValue: 0x20)
        /// Not yet known to be the only one (RFC 4862).
        public static let tentative = Flags(rawValue: 0x40)
    }

    /// The interface's number.
    public let index: Int32
    /// This host's address, without the number of the interface.
    public let address: IPAddress
    /// The other end's address, where there is one.
    public let peer: IPAddress?
    /// How many bits name the network.
    public let prefixLength: UInt8
    /// How far it holds.
    public let scope: Scope
    /// What holds of it.
    public let flags: Flags

    /// Whether packets may bear it: neither a duplicate nor still under test.
    public var isUsable: Bool {
        !flags.contains(.duplicate) && (!flags.contains(.tentative) || flags.contains(.optimistic))
    }

    init?(_ body: ArraySlice<UInt8>) {
        guard let header = body.load(ifaddrmsg.self),
            [AF_INET, AF_INET6].contains(CInt(header.ifa_family))
        else { return nil }
        let attributes = AttributeReader(body.dropFirst(MemoryLayout<ifaddrmsg>.size))
        // IFA_ADDRESS is the peer's where IFA_LOCAL stands beside it (linux/if_addr.h).
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
    /// The payload of the attribute `type` as an address.
    func address(_ type: Int) -> IPAddress? {
        self[type].flatMap { IPAddress(bytes: Array($0)) }
    }
}

extension RouteConnection {
    /// Every address of the namespace.
    public func addresses() throws(NetlinkError) -> [InterfaceAddress] {
        let request = Request("list the addresses", type: Int(RTM_GETADDR), flags: NLM_F_DUMP) {
            $0.append(ifaddrmsg())
        }
        return try replies(to: request).compactMap { $0.type == RTM_NEWADDR ? InterfaceAddress($0.body) : nil }
    }
}

extension IPAddress.Family {
    /// The kernel's number for it.
    var number: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }
    /// How many bits an address has.
    public var bitWidth: UInt8 { self == .ipv4 ? 32 : 128 }
    /// The address that means "any".
    var unspecified: [UInt8] { [UInt8](repeating: 0, count: Int(bitWidth) / 8) }

    init?(number: UInt8) {
        switch CInt(number) {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }
}
