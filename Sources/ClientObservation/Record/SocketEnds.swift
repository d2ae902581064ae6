// SPDX-License-Identifier: Apache-2.0

/// The ends of a client's socket, by which what is known of it is found.
package struct SocketEnds: Hashable, Sendable {
    package var client: Endpoint
    package var server: Endpoint
    package var isTCP: Bool

    package init(_ client: Endpoint, _ server: Endpoint, isTCP: Bool = true) {
        (self.client, self.server, self.isTCP) = (client, server, isTCP)
    }

    /// Those of a connection's socket.
    init(of connection: Connection) {
        self.init(connection.client, connection.server, isTCP: connection.carrier == .tcp)
    }
}
