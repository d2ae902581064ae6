// SPDX-License-Identifier: Apache-2.0

/// The changes that a scenario's step makes to the uplink's network, besides the profile. A nil part does not change.
public struct NetworkChanges: Hashable, Sendable {
    /// Whether the uplink has a carrier from this step on.
    public var link: LinkState?
    /// The change of the host's addresses on the uplink.
    public var address: AddressChange?
    /// The hand-over to another network.
    public var handOver: HandOver?
    /// The change of the mappings in the network's address translator.
    public var nat: MappingChange?

    /// Whether a link has a carrier.
    public enum LinkState: String, CaseIterable, Hashable, Sendable {
        case down
        case up
    }

    /// The changes of addresses.
    public enum AddressChange: String, CaseIterable, Hashable, Sendable {
        /// Each address is replaced by another one in the same network.
        case new
    }

    /// The move of a host to another network, where it has a different address.
    public struct HandOver: Hashable, Sendable {
        /// The time for which the host keeps the old address; new connections use the new one. Nil if the old one goes
        /// at once.
        public var overlap: Duration?

        /// Makes a hand-over without an overlap.
        public init() {}
    }

    /// The changes of mappings.
    public enum MappingChange: String, CaseIterable, Hashable, Sendable {
        /// Each mapping gets another port.
        case rebind
    }

    /// Makes a value without changes.
    public init() {}

    /// The names of the keys in a step.
    static let keys = ["link", "address", "hand over", "nat"]

    /// Whether nothing changes.
    public var isEmpty: Bool { self == NetworkChanges() }

    /// The changes in words: "link down", "new address".
    public var words: [String] {
        [
            link.map { "link \($0.rawValue)" },
            address.map { "\($0.rawValue) address" },
            handOver.map { "hand-over" + ($0.overlap.map { ", overlapping for \($0.text)" } ?? "") },
            nat.map { _ in "new NAT mappings" },
        ].compactMap { $0 }
    }
}
