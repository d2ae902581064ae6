// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink

/// A network of this process alone, in the place of the machine's: what a sandbox's uplink leads to while it is measured.
package enum OutsideHost {
    /// Moves this process, which has a single thread, into a new network whose loopback has these addresses.
    package static func enter(ipv4: String, ipv6: String) throws(SandboxError) {
        let settings = NetworkSettings.ofHost()
        let namespaces = try NamespaceSet.enter()
        let connection = try RouteConnection.here()
        try settings.apply(connection, hasUserNamespace: namespaces.hasUser)
        let index = Int32(if_nametoindex("lo"))
        // A network with a route is one that the uplink of a sandbox reaches.
        for (address, length) in [(IPAddress(ipv4), 24), (IPAddress(ipv6), 64)] as [(IPAddress?, UInt8)] {
            guard let address, address.family == .ipv4 || NetworkSettings.hasIPv6 else { continue }
            try connection.performing(AddressRequest.add(address, prefixLength: length, to: index))
        }
    }
}
