// SPDX-License-Identifier: Apache-2.0

/// A packet of DNS over UDP, and its size on the wire.
package struct NameMessage: Hashable, Sendable {
    /// The endpoint that sends queries.
    package var client: Endpoint
    /// The endpoint that answers queries.
    package var server: Endpoint
    package var sent: Instant
    /// The packet's length in bytes, from the IP header on.
    package var bytes: Int
}
