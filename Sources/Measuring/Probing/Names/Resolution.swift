// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The result of looking up a name.
public struct Resolution: Hashable, Sendable {
    /// The addresses, those of IPv4 first.
    public var addresses: [IPAddress] = []
    /// How long they may be kept; nil for addresses that no server gave.
    public var timeToLive: Duration?
    /// The reason why a family has no address.
    public var reasons: [IPAddress.Family: Reason] = [:]
    /// The observations that led to `reasons`, and the one of an answer.
    public var observations: [IPAddress.Family: Observation] = [:]

    /// Makes a resolution to these addresses.
    public init(_ addresses: [IPAddress] = []) {
        self.addresses = addresses
    }

    /// The reason why there is no address at all; nil if there is one.
    public var reason: Reason? {
        guard addresses.isEmpty else { return nil }
        return IPAddress.Family.allCases.compactMap { reasons[$0] }.max { $0.weight < $1.weight } ?? .queryTimeout
    }
}

extension Reason {
    /// How much a resolver's failure tells: of several, the one that tells most is given.
    var weight: Int {
        let order: [Reason] = [
            .stopped, .resources, .permission, .queryTimeout, .serverUnreachable, .malformedAnswer, .queryRefused,
            .servfail, .invalidName, .nxdomain, .nodata,
        ]
        return order.firstIndex(of: self) ?? 0
    }
}
