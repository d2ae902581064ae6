// SPDX-License-Identifier: Apache-2.0

extension Selection {
    /// The specificity of a selection. Of the rules that match a packet, the most specific one has it.
    ///
    /// One number for a whole rule, because a lane has one filter, with one place among the others.
    public struct Specificity: Comparable, Hashable, Sendable {
        /// The number of restricted kinds: address, port and protocol.
        public let kinds: Int
        /// The length of the shortest address prefix, of 128 bits: four times that of an IPv4 prefix. 0 without addresses.
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

    /// Whether both select some packet. A packet whose ends have different ports, each in one of the selections, is not
    /// considered: hardly any packet is between two services.
    public func overlaps(_ other: Selection) -> Bool {
        let (left, right) = (criteria, other.criteria)
        let remotes = Self.common(left.remotes, right.remotes) { one, two in
            one.contains(two) ? two : two.contains(one) ? one : nil
        }
        let ports = Self.common(left.ports, right.ports) { $0 == $1 ? $0 : nil }
        let named = Self.common(left.protocols, right.protocols) { $0 == $1 ? $0 : nil }
        // Other protocols have no ports.
        let withPorts: [TransportProtocol] = [.tcp, .udp]
        let protocols = ports == nil ? named : named.map { $0.filter(withPorts.contains) } ?? withPorts
        let excluded = [exclusions, other.exclusions]
        return remotes?.allSatisfy { remote in excluded.contains { $0.remotes.contains { $0.contains(remote) } } }
            != true
            && ports?.allSatisfy { port in excluded.contains { $0.ports.contains(port) } } != true
            && protocols?.allSatisfy { named in excluded.contains { $0.protocols.contains(named) } } != true
    }

    /// The alternatives that two lists share, of which an empty one restricts nothing; nil if they share none.
    private static func common<Alternative>(
        _ left: [Alternative],
        _ right: [Alternative],
        _ intersection: (Alternative, Alternative) -> Alternative?
    ) -> [Alternative]? {
        guard !left.isEmpty, !right.isEmpty else { return left.isEmpty && right.isEmpty ? nil : left + right }
        return left.flatMap { one in right.compactMap { intersection(one, $0) } }
    }
}
