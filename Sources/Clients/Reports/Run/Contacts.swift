// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import LinkProfiles

/// Whom a command talked to. No part of report.json, whose timeline says it in detail: for what follows a run.
package struct Contacts: Hashable, Sendable {
    /// One of its servers.
    package struct Server: Hashable, Sendable {
        package var transport: TransportProtocol
        package var port: UInt16
        package var usesIPv6: Bool
        package var hasTLS: Bool
        /// The most payload of a connection, of both ends, in bytes.
        package var payload: Int
        /// How many connections the command opened to it.
        package var connections = 1
    }

    package var servers: [Server] = []
    /// The names that it looked up.
    package var names: [String] = []

    /// More of each are not kept.
    private static let limit = 32

    package init() {}

    /// Those of connections and queries, in the order of their first packets.
    package init(_ traffic: Traffic) {
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

extension Contacts: JSONConvertible {
    package var json: JSON { JSON(("servers", .list(servers.map(\.json))), ("names", names.json)) }

    package init?(json: JSON) {
        guard let servers: [Server] = json.required("servers"), let names: [String] = json.required("names") else {
            return nil
        }
        (self.servers, self.names) = (servers, names)
    }
}

extension Contacts.Server: JSONConvertible {
    fileprivate func isSame(as other: Self) -> Bool {
        transport == other.transport && port == other.port && usesIPv6 == other.usesIPv6
    }

    package var json: JSON {
        JSON(
            ("transport", .text(transport.rawValue)),
            ("port", .number(port)),
            ("ipv6", .bool(usesIPv6)),
            ("tls", .bool(hasTLS)),
            ("payload", .number(payload)),
            ("connections", .number(connections))
        )
    }

    package init?(json: JSON) {
        guard
            let transport = json.required("transport").flatMap({ (name: String) in TransportProtocol(rawValue: name) }),
            let port: UInt16 = json.required("port"), let usesIPv6: Bool = json.required("ipv6"),
            let hasTLS: Bool = json.required("tls"), let payload: Int = json.required("payload"),
            let connections: Int = json.required("connections")
        else { return nil }
        (self.transport, self.port, self.usesIPv6) = (transport, port, usesIPv6)
        (self.hasTLS, self.payload, self.connections) = (hasTLS, payload, connections)
    }
}
