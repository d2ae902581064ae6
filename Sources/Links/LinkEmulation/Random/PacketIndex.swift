// SPDX-License-Identifier: Apache-2.0

/// The index that selects the random numbers of a packet of a known flow: derived from the flow and the packet's
/// position in the flow.
///
/// Neither depends on a clock, on other flows, or on random choices of the kernel (ports, initial sequence numbers): a
/// client that repeats its traffic gets the same decisions. Part of `RandomSequence.version`.
package enum PacketIndex {
    /// The units of a packet's position in its flow.
    package enum Unit: UInt64 {
        /// The number of earlier packets of the flow in the same direction.
        case count
        /// The offset of a TCP segment's first byte in the stream of its side.
        case bytes
        /// The offset in the other side's stream that a TCP packet without payload acknowledges.
        case acknowledgement
        /// The number of earlier RSTs of the flow in the same direction.
        case reset
    }

    /// Returns the seed of a flow's packet indices.
    ///
    /// - Parameters:
    ///   - transport: the protocol's number (IANA).
    ///   - client: the upper and lower 64 bits of the address of the flow's opener; the upper are 0 for IPv4.
    ///   - server: the same of the other address.
    ///   - port: the server's port.
    ///   - number: the number of earlier flows with the same ends.
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
    ///   - offset: the packet's position in its flow, in units of `unit`.
    ///   - repetition: the number of earlier packets at the same position.
    ///   - isAnswer: whether the packet is sent to the flow's opener.
    @inlinable @inline(__always)
    package static func packet(
        _ unit: Unit,
        _ offset: UInt32,
        repetition: UInt16 = 0,
        isAnswer: Bool,
        flow: UInt64
    ) -> UInt64 {
        let kind = unit.rawValue | (isAnswer ? 4 : 0)
        return SplitMix64.value(seed: flow, index: UInt64(offset) | UInt64(repetition) << 32 | kind << 48)
    }

    /// Returns the seed of the packet indices of a packet's later fragments, which count as a separate flow.
    package static func fragments(_ offset: UInt32, flow: UInt64) -> UInt64 {
        SplitMix64.value(seed: flow, index: UInt64(offset) | 1 << 63)
    }
}
