// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink

/// A private network of this process, in place of the machine's: the far end of a sandbox's uplink during a
/// measurement.
package enum OutsideHost {
    /// Moves this process, which must have a single thread, into a new network whose loopback has these addresses.
    package static func enter(ipv4: String, ipv6: String) throws(SandboxError) {
        let settings = NetworkSettings.ofHost()
        let namespaces = try NamespaceSet.enter()
        let connection = try RouteConnection.here()
        try settings.apply(connection, hasUserNamespace: namespaces.hasUser)
        let index = Int32(if_nametoindex("lo"))
        // An address also adds a route, without which a sandbox's uplink would not use this network.
        for (address, length) in [(IPAddress(ipv4), 24), (IPAddress(ipv6), 64)] as [(IPAddress?, UInt8)] {
            guard let address, address.family == .ipv4 || NetworkSettings.hasIPv6 else { continue }
            try connection.performing(AddressRequest.add(address, prefixLength: length, to: index))
        }
    }
}
