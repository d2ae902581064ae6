// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkEmulation
internal import PacketFaults

/// Both ends of a flow, in an order that does not depend on the sender.
struct FlowKey: Equatable {
    /// The flag in `space` of keys for fragments.
    private static let fragments: UInt16 = 0x0100
    /// The flag in `space` of keys for a pair of ends, which count the flows between them.
    private static let ends: UInt16 = 0x0800
    private static let tcp: UInt16 = 6
    /// The flags in `space` of keys for IPv6 and IPv4.
    private static let (version6, version4): (UInt16, UInt16) = (0x0200, 0x0400)

    var low: (UInt64, UInt64)
    var high: (UInt64, UInt64)
    /// The ports, or a fragmented packet's identification.
    var ports: UInt32
    /// The protocol number, a flag for the address family, and a flag in keys for fragments or ends; never 0.
    var space: UInt16

    /// The key of a packet's flow, and whether the packet's sender is the low end.
    @inline(__always) static func flow(
        _ start: UnsafeRawPointer,
        _ layout: FrameLayout
    ) -> (key: FlowKey, senderIsLow: Bool) {
        flow(
            address(start, layout, 0),
            address(start, layout, 1),
            (layout.sourcePort, layout.destinationPort),
            space(layout)
        )
    }

    /// The key of the TCP connection between two ends.
    static func connection(_ source: FaultEnd, _ destination: FaultEnd) -> FlowKey {
        func halves(_ address: IPAddress) -> (UInt64, UInt64) {
            address.withUnsafeBytes { bytes in
                bytes.count == 4
                    ? (0, UInt64(bytes.loadUnaligned(as: UInt32.self)))
                    : bytes.loadUnaligned(as: (UInt64, UInt64).self)
            }
        }
        let version = source.address.family == .ipv6 ? version6 : version4
        return flow(
            halves(source.address),
            halves(destination.address),
            (source.port, destination.port),
            tcp | version
        ).key
    }

    @inline(__always) private static func flow(
        _ source: (UInt64, UInt64),
        _ destination: (UInt64, UInt64),
        _ ports: (source: UInt16, destination: UInt16),
        _ space: UInt16
    ) -> (key: FlowKey, senderIsLow: Bool) {
        let isLow =
            source.0 != destination.0
            ? source.0 < destination.0
            : source.1 != destination.1 ? source.1 < destination.1 : ports.source <= ports.destination
        let (from, to) = (UInt32(ports.source), UInt32(ports.destination))
        return isLow
            ? (FlowKey(low: source, high: destination, ports: from << 16 | to, space: space), true)
            : (FlowKey(low: destination, high: source, ports: to << 16 | from, space: space), false)
    }

    /// The key of the packet that a fragment is part of; the low end is the sender.
    @inline(__always) static func packet(_ start: UnsafeRawPointer, _ layout: FrameLayout) -> FlowKey {
        FlowKey(
            low: address(start, layout, 0),
            high: address(start, layout, 1),
            ports: layout.identification,
            space: space(layout) | fragments
        )
    }

    /// The key of a flow's pair of ends: the low end is the opener, whose port is left out.
    static func ends(_ start: UnsafeRawPointer, _ layout: FrameLayout, fromOpener: Bool) -> FlowKey {
        let (source, destination) = (address(start, layout, 0), address(start, layout, 1))
        let port = fromOpener ? layout.destinationPort : layout.sourcePort
        return FlowKey(
            low: fromOpener ? source : destination,
            high: fromOpener ? destination : source,
            // The identifier of an ICMP query is its sender's choice, as an ephemeral port is.
            ports: layout.kind == .icmp ? 0 : UInt32(port),
            space: space(layout) | ends
        )
    }

    @inline(__always) private static func space(_ layout: FrameLayout) -> UInt16 {
        UInt16(layout.transportProtocol) | (layout.isIPv6 ? version6 : version4)
    }

    @inline(__always) private static func address(
        _ start: UnsafeRawPointer,
        _ layout: FrameLayout,
        _ which: Int
    ) -> (UInt64, UInt64) {
        let address = start + layout.addresses + which * layout.addressLength
        guard layout.isIPv6 else { return (0, UInt64(address.loadUnaligned(as: UInt32.self))) }
        return address.loadUnaligned(as: (UInt64, UInt64).self)
    }

    /// Whether this is the key of a TCP connection.
    var isConnection: Bool { space == Self.tcp | Self.version4 || space == Self.tcp | Self.version6 }

    /// The ends of the TCP connection; nil if this is not the key of one.
    var connectionEnds: (low: FaultEnd, high: FaultEnd)? {
        guard isConnection else { return nil }
        func end(_ address: (UInt64, UInt64), _ port: UInt32) -> FaultEnd? {
            let bytes = withUnsafeBytes(of: address) { Array($0) }
            let address = IPAddress(bytes: space & Self.version6 != 0 ? bytes : Array(bytes[8..<12]))
            return address.map { FaultEnd(address: $0, port: UInt16(truncatingIfNeeded: port)) }
        }
        guard let low = end(low, ports >> 16), let high = end(high, ports) else { return nil }
        return (low, high)
    }

    /// A hash whose upper bits are well mixed.
    @inline(__always) var hash: UInt64 {
        var mixed = low.0 ^ (low.1 &* 0x9E37_79B9_7F4A_7C15)
        mixed = (mixed ^ (mixed >> 29) ^ high.0) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 32) ^ high.1) &* 0x94D0_49BB_1331_11EB
        mixed = (mixed ^ (mixed >> 31) ^ UInt64(ports) << 16 ^ UInt64(space)) &* 0x9E37_79B9_7F4A_7C15
        return mixed
    }

    /// The seed of the random numbers of a flow between these ends that comes after `number` others.
    func flow(_ number: UInt64) -> UInt64 {
        func halves(_ address: (UInt64, UInt64)) -> (UInt64, UInt64) {
            space & Self.version6 == 0
                ? (0, UInt64(UInt32(bigEndian: UInt32(truncatingIfNeeded: address.1))))
                : (UInt64(bigEndian: address.0), UInt64(bigEndian: address.1))
        }
        return PacketIndex.flow(
            transport: UInt8(truncatingIfNeeded: space),
            isIPv6: space & Self.version6 != 0,
            client: halves(low),
            server: halves(high),
            port: UInt16(truncatingIfNeeded: ports),
            number: number
        )
    }

    @inline(__always) static func == (left: FlowKey, right: FlowKey) -> Bool {
        left.ports == right.ports && left.space == right.space && left.low == right.low && left.high == right.high
    }
}
