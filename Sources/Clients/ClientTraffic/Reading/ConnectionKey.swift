// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// The two endpoints of a packet, in an order that does not depend on the packet's direction; compact, and fast to
/// hash.
struct ConnectionKey: Hashable {
    private let first: (high: UInt64, low: UInt64)
    private let second: (high: UInt64, low: UInt64)
    /// The ports, the address family and the transport protocol.
    private let rest: UInt64

    /// The key of a packet, and whether `source` is the first endpoint of the key.
    static func of(source: Endpoint, destination: Endpoint, isTCP: Bool) -> (key: ConnectionKey, isSourceFirst: Bool) {
        let (from, to) = (source.address.number, destination.address.number)
        let isSourceFirst = (from.high, from.low, source.port) <= (to.high, to.low, destination.port)
        let ends = isSourceFirst ? (from, to, source.port, destination.port) : (to, from, destination.port, source.port)
        let isIPv6 = source.address.family == .ipv6
        let kind: UInt64 = (isTCP ? 1 : 0) | (isIPv6 ? 2 : 0)
        return (
            ConnectionKey(first: ends.0, second: ends.1, rest: UInt64(ends.2) << 32 | UInt64(ends.3) << 16 | kind),
            isSourceFirst
        )
    }

    static func == (left: ConnectionKey, right: ConnectionKey) -> Bool {
        left.first == right.first && left.second == right.second && left.rest == right.rest
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(first.high)
        hasher.combine(first.low)
        hasher.combine(second.high)
        hasher.combine(second.low)
        hasher.combine(rest)
    }
}
