// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// The kernel's path manager of Multipath TCP (ip-mptcp(8)), in the network of the thread that made this value. Its
/// endpoints are the addresses from which connections open further paths.
package struct MultipathEndpoints {
    private let connection: RouteConnection
    /// The identifier of the path manager's family in generic netlink.
    private let family: Int

    /// The commands and attributes of Documentation/netlink/specs/mptcp_pm.yaml, some of which Debian 12's headers
    /// lack.
    private enum Wire {
        static let family = "mptcp_pm"
        static let version: UInt8 = 1
        static let (add, delete, setLimits): (UInt8, UInt8, UInt8) = (1, 2, 5)
        static let (address, acceptedAddresses, paths) = (1, 2, 3)
        /// The attributes of an address.
        static let (addressFamily, identifier, ipv4, ipv6, flags, interface) = (1, 2, 3, 4, 6, 7)
        /// MPTCP_PM_ADDR_FLAG_SUBFLOW: clients open paths from the address.
        static let opensPaths: UInt32 = 2
    }

    /// The maximum number of paths that the kernel permits: net/mptcp/pm.c, MPTCP_PM_ADDR_MAX.
    private static let maximumPaths: UInt32 = 8

    /// - Throws: ENOENT if the kernel has no Multipath TCP.
    package init() throws(NetlinkError) {
        connection = RouteConnection(try RouteSocket(to: NETLINK_GENERIC))
        let operation = "find the kernel's manager of multipath connections"
        let request = Request(operation, type: Int(GENL_ID_CTRL), flags: NLM_F_ACK) { message in
            message.append(genlmsghdr(cmd: UInt8(CTRL_CMD_GETFAMILY), version: 1, reserved: 0))
            message.put(Int(CTRL_ATTR_FAMILY_NAME), text: Wire.family)
        }
        let family = try connection.replies(to: request).lazy.compactMap { reply in
            reply.body.parse(genlmsghdr.self)?.1.value(Int(CTRL_ATTR_FAMILY_ID), as: UInt16.self)
        }.first
        guard let family else { throw NetlinkError(operation: operation, code: ENOENT) }
        self.family = Int(family)
    }

    /// Permits connections the maximum number of paths. Addresses that a server announces are not used, since other
    /// hosts do not know them.
    package func allowPaths() throws(NetlinkError) {
        try perform("permit several paths", Wire.setLimits) { message in
            message.put(Wire.acceptedAddresses, UInt32(0))
            message.put(Wire.paths, Self.maximumPaths)
        }
    }

    /// Lets connections, including open ones, use a path from `address` of an interface.
    ///
    /// - Parameter identifier: the address's identifier for ``remove(_:identifier:)``, from 1 to 255.
    package func add(_ address: IPAddress, identifier: UInt8, on interface: Int32) throws(NetlinkError) {
        try perform("add the multipath endpoint \(address)", Wire.add) { message in
            put(address, identifier, into: message) {
                message.put(Wire.flags, Wire.opensPaths)
                message.put(Wire.interface, interface)
            }
        }
    }

    /// Ends the paths from this address.
    package func remove(_ address: IPAddress, identifier: UInt8) throws(NetlinkError) {
        try perform("remove the multipath endpoint \(address)", Wire.delete) { message in
            put(address, identifier, into: message) {}
        }
    }

    private func put(_ address: IPAddress, _ identifier: UInt8, into message: Message, _ rest: () -> Void) {
        message.nest(Wire.address | Int(NLA_F_NESTED)) {
            let isIPv4 = address.family == .ipv4
            message.put(Wire.addressFamily, UInt16(address.family.number))
            message.put(Wire.identifier, identifier)
            message.put(isIPv4 ? Wire.ipv4 : Wire.ipv6, bytes: address.bytes)
            rest()
        }
    }

    private func perform(
        _ operation: String,
        _ command: UInt8,
        _ write: (Message) -> Void
    ) throws(NetlinkError) {
        try connection.perform(
            Request(operation, type: family, flags: NLM_F_ACK) { message in
                message.append(genlmsghdr(cmd: command, version: Wire.version, reserved: 0))
                write(message)
            }
        )
    }
}
