// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses
package import LinkProfiles

/// An address and a port.
package struct Endpoint: Hashable, Sendable {
    package var address: IPAddress
    package var port: UInt16

    package init(_ address: IPAddress, _ port: UInt16) {
        (self.address, self.port) = (address, port)
    }

    package var isIPv6: Bool { address.family == .ipv6 }
}

extension Endpoint: LosslessStringConvertible, JSONConvertible {
    /// "192.0.2.1:80", or "[2001:db8::1]:80".
    package var description: String {
        address.family == .ipv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }

    /// Parses "192.0.2.1:80" or "[2001:db8::1]:80".
    package init?(_ text: String) {
        guard let peer = Peer(parsing: text), let port = peer.port, let address = IPAddress(peer.host) else {
            return nil
        }
        self.init(address, port)
    }
}

/// The endpoints and transport of a client's socket: the key for facts about the socket.
package struct SocketEnds: Hashable, Sendable {
    package var client: Endpoint
    package var server: Endpoint
    package var isTCP: Bool

    package init(_ client: Endpoint, _ server: Endpoint, isTCP: Bool = true) {
        (self.client, self.server, self.isTCP) = (client, server, isTCP)
    }

    /// The endpoints of a connection's socket.
    package init(of connection: Connection) {
        self.init(connection.client, connection.server, isTCP: connection.carrier == .tcp)
    }
}

extension SocketEnds: JSONObject {
    package static let blank: SocketEnds = {
        let end = Endpoint(.unspecified, 0)
        return SocketEnds(end, end)
    }()

    /// Describes a TCP socket, without a member for the transport.
    package mutating func describe(_ members: inout JSONMembers) {
        members.required("client", &client)
        members.required("server", &server)
    }

    /// Describes any socket with its transport; one that is not "tcp" is read as UDP.
    package mutating func describeWithTransport(_ members: inout JSONMembers) {
        describe(&members)
        var transport = isTCP ? "tcp" : "udp"
        members.required("transport", &transport)
        isTCP = transport == "tcp"
    }
}
