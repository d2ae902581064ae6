// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Netlink

/// The devices that the ifb module brings along when it is first loaded: ifb0 and ifb1, unless it is told otherwise
/// (`numifbs` in drivers/net/ifb.c), in the machine's first namespace. Nobody asked for them, and a reset could not
/// tell them from somebody's.
package struct AutoCreatedIFBs {
    private let connection: RouteConnection

    package init(_ connection: RouteConnection) {
        self.connection = connection
    }

    /// Runs `body`, which may load the module, and deletes the devices that came with it.
    package func without<Result>(_ body: () throws(NetlinkError) -> Result) throws(NetlinkError) -> Result {
        guard access("/sys/module/ifb", F_OK) != 0 else { return try body() }
        let before = Set(try connection.links().map(\.index))
        let result = try body()
        for link in try connection.links() where !before.contains(link.index) {
            if link.kind == "ifb", ["ifb0", "ifb1"].contains(link.name), !link.isUp, link.alias == nil {
                try connection.perform(LinkRequest.delete(link.name))
            }
        }
        return result
    }
}
