// SPDX-License-Identifier: Apache-2.0

/// What happens to packets leaving for port 53 (UDP and TCP), beyond the uplink's impairments.
public struct DNSImpairment: Hashable, Sendable {
    /// Added to the uplink's delay.
    public var delay: Duration

    /// Makes an impairment that delays queries by `delay`.
    public init(delay: Duration) {
        self.delay = delay
    }
}
