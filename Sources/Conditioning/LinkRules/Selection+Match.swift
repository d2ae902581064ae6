// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses
package import LinkProfiles

extension Selection {
    /// The ends of a packet or connection, as a rule's filter compares them.
    package struct Packet: Hashable, Sendable {
        /// The addresses of the remote end; on loopback, both ends.
        package var remotes: [IPAddress]
        /// The ports of both ends; empty for a protocol without ports.
        package var ports: [UInt16]
        /// The protocol; nil for one that rules cannot select.
        package var transport: TransportProtocol?

        package init(remotes: [IPAddress], ports: [UInt16], transport: TransportProtocol?) {
            (self.remotes, self.ports, self.transport) = (remotes, ports, transport)
        }
    }

    /// Whether the rule's filter matches a packet, by the rules of ``Selection``.
    package func matches(_ packet: Packet) -> Bool {
        let hits = Self.kinds.map { $0(criteria, packet) }
        return hits.allSatisfy { $0 != false } && !Self.kinds.contains { $0(exclusions, packet) == true }
    }

    /// Whether a packet matches one of the alternatives of each kind; nil for a kind without alternatives.
    private static let kinds: [@Sendable (Criteria, Packet) -> Bool?] = [
        { criteria, packet in
            criteria.remotes.isEmpty
                ? nil : criteria.remotes.contains { prefix in packet.remotes.contains { prefix.contains($0) } }
        },
        { criteria, packet in criteria.ports.isEmpty ? nil : !Set(criteria.ports).isDisjoint(with: packet.ports) },
        { criteria, packet in
            criteria.protocols.isEmpty ? nil : packet.transport.map { criteria.protocols.contains($0) } ?? false
        },
    ]
}
