// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The result of looking up a name.
public struct Resolution: Hashable, Sendable {
    /// The addresses, IPv4 first.
    public var addresses: [IPAddress] = []
    /// How long the addresses may be cached; nil if they come from no DNS server.
    public var timeToLive: Duration?
    /// The reason why a family has no address; a family with addresses is absent.
    public var reasons: [IPAddress.Family: Reason] = [:]
    /// The observation of each family, from which its addresses or its reason come.
    public var observations: [IPAddress.Family: Observation] = [:]

    /// Makes a resolution with these addresses.
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
    /// How informative a lookup's failure is: of several failures, the most informative is reported.
    var weight: Int {
        let order: [Reason] = [
            .stopped, .resources, .permission, .queryTimeout, .serverUnreachable, .malformedAnswer, .queryRefused,
            .servfail, .invalidName, .nxdomain, .nodata,
        ]
        return order.firstIndex(of: self) ?? 0
    }
}
