// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import LinkProfiles

/// The servers and names that a command contacted. Not a part of report.json, whose timeline has the details: used by
/// steps after a run.
package struct Contacts: Hashable, Sendable {
    /// A kind of server, by transport, port and address family.
    package struct Server: Hashable, Sendable {
        package var transport: TransportProtocol
        package var port: UInt16
        package var usesIPv6: Bool
        package var hasTLS: Bool
        /// The greatest payload of a connection in both directions, in bytes.
        package var payload: Int
        /// The number of connections that the command opened to such servers.
        package var connections = 1
    }

    package var servers: [Server] = []
    /// The names that the command looked up.
    package var names: [String] = []

    /// The maximum number of servers, and of names, that are kept.
    private static let limit = 32

    package init() {}

    /// The contacts of connections and queries, in the order of their first packets.
    package init(_ traffic: ObservedTraffic) {
        for connection in traffic.connections where servers.count < Self.limit && !connection.attempts.isEmpty {
            var server = Server(
                transport: connection.carrier == .tcp ? .tcp : .udp,
                port: connection.server.port,
                usesIPv6: connection.server.isIPv6,
                hasTLS: connection.carrier == .tcp && connection.tlsVersion != nil,
                payload: connection.payloadBytes.client + connection.payloadBytes.server
            )
            guard let index = servers.firstIndex(where: { $0.isSame(as: server) }) else {
                servers.append(server)
                continue
            }
            server.payload = max(server.payload, servers[index].payload)
            server.hasTLS = server.hasTLS || servers[index].hasTLS
            server.connections += servers[index].connections
            servers[index] = server
        }
        for query in traffic.nameQueries where names.count < Self.limit && !names.contains(query.name) {
            names.append(query.name)
        }
    }
}

extension Contacts.Server {
    fileprivate func isSame(as other: Self) -> Bool {
        transport == other.transport && port == other.port && usesIPv6 == other.usesIPv6
    }
}

extension Contacts: JSONObject {
    package static let blank = Contacts()

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("servers", &servers)
        members.required("names", &names)
    }
}

extension Contacts.Server: JSONObject {
    package static let blank = Self(transport: .tcp, port: 0, usesIPv6: false, hasTLS: false, payload: 0)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("transport", &transport)
        members.required("port", &port)
        members.required("ipv6", &usesIPv6)
        members.required("tls", &hasTLS)
        members.required("payload", &payload)
        members.required("connections", &connections)
    }
}
