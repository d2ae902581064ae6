// SPDX-License-Identifier: Apache-2.0

/// A packet of DNS over UDP: what it took on the wire.
package struct NameMessage: Hashable, Sendable {
    /// The end that asks.
    package var client: Endpoint
    /// The end that is asked.
    package var server: Endpoint
    package var sent: Instant
    /// Bytes from the IP header on.
    package var bytes: Int
}
