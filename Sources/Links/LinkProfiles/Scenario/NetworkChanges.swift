// SPDX-License-Identifier: Apache-2.0

/// Changes of a scenario's step to the uplink's network, besides its profile. An absent change leaves that part as it is.
public struct NetworkChanges: Hashable, Sendable {
    /// Whether the uplink has a carrier from then on.
    public var link: LinkState?
    /// The host's addresses on the uplink.
    public var address: AddressChange?
    /// Another network takes the place of the present one.
    public var handOver: HandOver?
    /// The mappings of the network's address translator.
    public var nat: MappingChange?

    /// Whether a link has a carrier.
    public enum LinkState: String, CaseIterable, Hashable, Sendable {
        case down
        case up
    }

    /// The changes of addresses.
    public enum AddressChange: String, CaseIterable, Hashable, Sendable {
        /// Another one of the same network replaces each.
        case new
    }

    /// The change of a host from one network to another, where it has another address.
    public struct HandOver: Hashable, Sendable {
        /// The time for which the old address stays beside the new one, which new connections have; nil if it goes at once.
        public var overlap: Duration?

        /// Makes one without an overlap.
        public init() {}
    }

    /// The changes of mappings.
    public enum MappingChange: String, CaseIterable, Hashable, Sendable {
        /// Each gets another port.
        case rebind
    }

    /// Makes no change.
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
