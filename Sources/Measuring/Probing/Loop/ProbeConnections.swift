// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses
import Synchronization

/// The sockets by which this process probes, for those who must tell its packets from those of others.
package enum ProbeConnections {
    /// A socket that was just connected, or asks for a connection.
    package struct Connection: Sendable {
        /// "192.0.2.1:4000", or "[2001:db8::1]:4000"
        package var client: String
        /// The server's name for the target.
        package var server: String
        package var isTCP: Bool
    }

    private static let observer = Mutex<(@Sendable (Connection) -> Void)?>(nil)

    /// Calls `body` for each socket from now on, on the thread that probes, which it must not hold up.
    package static func observe(_ body: @escaping @Sendable (Connection) -> Void) {
        observer.withLock { $0 = body }
    }

    /// Tells of a socket.
    static func note(_ descriptor: Int32, to address: IPAddress, _ port: UInt16, _ isTCP: Bool) {
        guard let observer = observer.withLock({ $0 }) else { return }
        var local = lc_address()
        guard lc_local_address(descriptor, &local) == 0, let client = IPAddress(local) else { return }
        observer(Connection(client: text(client, local.port), server: text(address, port), isTCP: isTCP))
    }

    /// Without the interface of a link-local address, which no packet tells.
    private static func text(_ address: IPAddress, _ port: UInt16) -> String {
        guard address.family == .ipv6 else { return "\(address):\(port)" }
        let plain = IPAddress(bytes: address.bytes) ?? address
        return "[\(plain)]:\(port)"
    }
}
