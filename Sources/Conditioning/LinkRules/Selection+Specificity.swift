// SPDX-License-Identifier: Apache-2.0

extension Selection {
    /// The specificity of a selection. If several rules match a packet, the most specific one applies.
    ///
    /// One value for a whole rule, because a lane has one filter, at one position among the filters.
    public struct Specificity: Comparable, Hashable, Sendable {
        /// The number of kinds of criteria that the selection restricts: address, port and protocol.
        public let kinds: Int
        /// The length of the shortest address prefix in bits, of 128: an IPv4 prefix counts four times its length. 0
        /// without addresses.
        public let prefix: Int

        /// Compares the number of kinds, then the prefixes.
        public static func < (left: Specificity, right: Specificity) -> Bool {
            (left.kinds, left.prefix) < (right.kinds, right.prefix)
        }
    }

    /// The specificity of the least specific alternative. Exclusions do not count.
    public var specificity: Specificity {
        let restricted = [criteria.remotes.isEmpty, criteria.ports.isEmpty, criteria.protocols.isEmpty].filter { !$0 }
        return Specificity(
            kinds: restricted.count,
            prefix: criteria.remotes.map { $0.length * (128 / ($0.bytes.count * 8)) }.min() ?? 0
        )
    }

    /// Whether some packet matches both selections. A packet whose two ports match one selection each is not
    /// considered: hardly any packet is between two services.
    public func overlaps(_ other: Selection) -> Bool {
        let (left, right) = (criteria, other.criteria)
        let remotes = Self.common(left.remotes, right.remotes) { one, two in
            one.contains(two) ? two : two.contains(one) ? one : nil
        }
        let ports = Self.common(left.ports, right.ports) { $0 == $1 ? $0 : nil }
        let named = Self.common(left.protocols, right.protocols) { $0 == $1 ? $0 : nil }
        // Only TCP and UDP have ports.
        let withPorts: [TransportProtocol] = [.tcp, .udp]
        let protocols = ports == nil ? named : named.map { $0.filter(withPorts.contains) } ?? withPorts
        let excluded = [exclusions, other.exclusions]
        return remotes?.allSatisfy { remote in excluded.contains { $0.remotes.contains { $0.contains(remote) } } }
            != true
            && ports?.allSatisfy { port in excluded.contains { $0.ports.contains(port) } } != true
            && protocols?.allSatisfy { named in excluded.contains { $0.protocols.contains(named) } } != true
    }

    /// The alternatives that two lists share, where an empty list restricts nothing; nil if both are empty.
    private static func common<Alternative>(
        _ left: [Alternative],
        _ right: [Alternative],
        _ intersection: (Alternative, Alternative) -> Alternative?
    ) -> [Alternative]? {
        guard !left.isEmpty, !right.isEmpty else { return left.isEmpty && right.isEmpty ? nil : left + right }
        return left.flatMap { one in right.compactMap { intersection(one, $0) } }
    }
}
