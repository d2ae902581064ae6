// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses
import Synchronization

/// Reports the sockets with which this process probes, so that others can tell its packets from other traffic.
package enum ProbeConnections {
    /// A socket that was just connected, or that is connecting.
    package struct Connection: Sendable {
        /// The local address: "192.0.2.1:4000", or "[2001:db8::1]:4000".
        package var client: String
        /// The target's address, in the same form.
        package var server: String
        package var isTCP: Bool
    }

    private static let observer = Mutex<(@Sendable (Connection) -> Void)?>(nil)

    /// Calls `body` for each socket from now on. It is called on the probing thread, and must not block.
    package static func observe(_ body: @escaping @Sendable (Connection) -> Void) {
        observer.withLock { $0 = body }
    }

    /// Reports a socket to the observer.
    static func note(_ descriptor: Int32, to address: IPAddress, _ port: UInt16, _ isTCP: Bool) {
        guard let observer = observer.withLock({ $0 }) else { return }
        var local = lc_address()
        guard lc_local_address(descriptor, &local) == 0, let client = IPAddress(local) else { return }
        observer(Connection(client: text(client, local.port), server: text(address, port), isTCP: isTCP))
    }

    /// Formats an address without the interface of a link-local address, which packets do not contain.
    private static func text(_ address: IPAddress, _ port: UInt16) -> String {
        guard address.family == .ipv6 else { return "\(address):\(port)" }
        let plain = IPAddress(bytes: address.bytes) ?? address
        return "[\(plain)]:\(port)"
    }
}
