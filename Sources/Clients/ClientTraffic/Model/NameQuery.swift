// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses

/// A DNS query of the client, and its answer.
package struct NameQuery: Hashable, Sendable {
    /// The name, without a dot at its end.
    package var name: String
    /// The type of record: 1 for IPv4 addresses, 28 for IPv6 addresses.
    package var type: UInt16
    /// The endpoint that sent the query; nil if it is not known.
    package var client: Endpoint?
    /// The endpoint to which the query was sent; nil if it is not known.
    package var server: Endpoint?
    package var packet: ObservedPacket
    /// The packet that brought the answer; nil if none was delivered.
    package var answer: ObservedPacket?
    /// The response code of the answer; 0 for success, 3 for a name that does not exist.
    package var code: UInt8?
    /// The addresses in the answer.
    package var addresses: [IPAddress] = []

    package init(name: String, type: UInt16, packet: ObservedPacket, client: Endpoint? = nil, server: Endpoint? = nil) {
        (self.name, self.type, self.packet) = (name, type, packet)
        (self.client, self.server) = (client, server)
    }

    private static let typeNames: [UInt16: String] = [1: "A", 5: "CNAME", 12: "PTR", 28: "AAAA", 65: "HTTPS"]
    private static let codeNames: [UInt8: String] = [0: "ok", 2: "server failure", 3: "no such name", 5: "refused"]

    /// The DNS name of a record type, such as "AAAA".
    package static func typeName(_ type: UInt16) -> String { typeNames[type] ?? "type \(type)" }

    /// A response code in words.
    package static func codeName(_ code: UInt8) -> String { codeNames[code] ?? "code \(code)" }
}
