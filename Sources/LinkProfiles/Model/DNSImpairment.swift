// SPDX-License-Identifier: Apache-2.0

/// What is added to the uplink's impairments for packets to port 53 (UDP and TCP).
public struct DNSImpairment: Hashable, Sendable {
    /// Added to the uplink's delay.
    public var delay: Duration

    /// Makes an impairment that delays queries by `delay`.
    public init(delay: Duration) {
        self.delay = delay
    }
}
