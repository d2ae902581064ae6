// SPDX-License-Identifier: Apache-2.0

/// The index that selects the random numbers of a packet whose flow is known: the flow, and the packet's position in it.
///
/// Neither depends on a clock, on other flows or on what the kernel draws by itself (ports, initial sequence numbers), so
/// that a client that does the same again meets the same decisions. Part of `RandomSequence.version`.
package enum PacketIndex {
    /// The units of a packet's position in its flow.
    package enum Place: UInt64 {
        /// Packets of the flow and direction.
        case count
        /// The offset of a TCP segment's first byte in the stream of its side.
        case bytes
        /// The offset in the other side's stream that a TCP packet without payload acknowledges.
        case acknowledgement
        /// RSTs of the flow and direction.
        case reset
    }

    /// Returns what selects the random numbers of a flow.
    ///
    /// - Parameters:
    ///   - transport: the protocol's number (IANA), and with `isIPv6` the family.
    ///   - client: the address of the flow's opener in two halves as numbers, the first 0 for IPv4.
    ///   - server: the other address.
    ///   - port: the server's.
    ///   - number: how many flows with the same ends were opened before it.
    package static func flow(
        transport: UInt8,
        isIPv6: Bool,
        client: (UInt64, UInt64),
        server: (UInt64, UInt64),
        port: UInt16,
        number: UInt64
    ) -> UInt64 {
        var hash = UInt64(transport) << 16 | UInt64(port) | (isIPv6 ? 1 << 24 : 0)
        for word in [client.0, client.1, server.0, server.1, number] {
            hash = SplitMix64.value(seed: hash, index: word)
        }
        return hash
    }

    /// Returns the index of a packet.
    ///
    /// - Parameters:
    ///   - offset: its place.
    ///   - repetition: how many packets at this place came before.
    ///   - isAnswer: whether it is sent to the flow's opener.
    @inlinable @inline(__always)
    package static func packet(
        _ place: Place,
        _ offset: UInt32,
        repetition: UInt16 = 0,
        isAnswer: Bool,
        flow: UInt64
    ) -> UInt64 {
        let kind = place.rawValue | (isAnswer ? 4 : 0)
        return SplitMix64.value(seed: flow, index: UInt64(offset) | UInt64(repetition) << 32 | kind << 48)
    }

    /// Returns what selects the random numbers of the later fragments of a packet, which are a flow of their own.
    package static func fragments(_ offset: UInt32, flow: UInt64) -> UInt64 {
        SplitMix64.value(seed: flow, index: UInt64(offset) | 1 << 63)
    }
}
