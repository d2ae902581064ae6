// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Netlink

/// The devices that the ifb module creates when it is loaded: ifb0 and ifb1 by default (`numifbs` in
/// drivers/net/ifb.c), in the initial network namespace. A later reset could not distinguish these devices from the
/// user's.
package struct AutoCreatedIFBs {
    private let connection: RouteConnection

    package init(_ connection: RouteConnection) {
        self.connection = connection
    }

    /// Runs `body`, which may load the module, and deletes the devices that the module created.
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
