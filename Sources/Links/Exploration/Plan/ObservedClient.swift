// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A client's behaviour as observed on a good link, from which timelines are drawn.
package struct ObservedClient: Hashable, Sendable {
    /// A server that the client communicates with.
    package struct Server: Hashable, Sendable {
        package var transport: TransportProtocol
        /// The server's port; nil if it differs in each run.
        package var port: UInt16?
        package var usesIPv6: Bool
        package var hasTLS: Bool
        /// The bytes of payload that both ends of one connection send.
        package var payload: Int
        /// The number of connections that a fault on the server's port concerns.
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
    /// The names that the client looked up.
    package var names: [String]
    /// The duration of the run.
    package var duration: Duration
    /// Whether the client has a network besides loopback.
    package var hasUplink: Bool

    package init(servers: [Server] = [], names: [String] = [], duration: Duration, hasUplink: Bool) {
        (self.servers, self.names, self.duration, self.hasUplink) = (servers, names, duration, hasUplink)
    }

    /// The first ephemeral port, of Linux's and IANA's ranges: from here on, ports differ in each run, those of servers
    /// too.
    package static let firstFreePort: UInt16 = 32_768
}
