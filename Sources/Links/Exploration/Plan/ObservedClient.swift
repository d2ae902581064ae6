// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A client's behaviour on a good link, which the drawing of timelines takes into account.
package struct ObservedClient: Hashable, Sendable {
    /// Someone whom it talks to.
    package struct Server: Hashable, Sendable {
        package var transport: TransportProtocol
        /// The server's port; nil if it differs in each run.
        package var port: UInt16?
        package var usesIPv6: Bool
        package var hasTLS: Bool
        /// The bytes of payload of one connection, of both ends.
        package var payload: Int
        /// The number of connections that a fault on its port is about.
        package var connections: Int

        package init(
            _ transport: TransportProtocol,
            port: UInt16?,
            usesIPv6: Bool = false,
            hasTLS: Bool = false,
            payload: Int = 1000,
            connections: Int = 1
        ) {
            (self.transport, self.port, self.usesIPv6) = (transport, port, usesIPv6)
            (self.hasTLS, self.payload, self.connections) = (hasTLS, payload, connections)
        }
    }

    package var servers: [Server]
    /// The names that it looked up.
    package var names: [String]
    /// The duration of the run.
    package var duration: Duration
    /// Whether it has a network besides its loopback.
    package var hasUplink: Bool

    package init(servers: [Server] = [], names: [String] = [], duration: Duration, hasUplink: Bool) {
        (self.servers, self.names, self.duration, self.hasUplink) = (servers, names, duration, hasUplink)
    }

    /// Ports from here on are a client's own, or those of a server that was given any free one: Linux's range, and IANA's.
    package static let firstFreePort: UInt16 = 32_768
}
