// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

extension SandboxConditions {
    /// The interfaces that packets of the command can use, with their addresses, as JSON: not the pump's.
    func interfaces() throws(NetlinkError) -> [JSON] {
        let addresses = try connection.addresses()
        return try connection.links().filter { devices.contains($0.name) }.map { link in
            let own = addresses.filter { $0.index == link.index }
            return JSON(
                ("name", .text(link.name)),
                ("up", .bool(link.isUp)),
                ("addresses", .list(own.map { JSON(.string("\($0.address)/\($0.prefixLength)")) })),
                ("loopback", .bool(link.isLoopback)),
                ("login", .bool(false))
            )
        }
    }
}
