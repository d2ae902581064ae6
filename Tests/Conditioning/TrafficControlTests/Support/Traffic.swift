// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A packet as rules describe it, and its bytes.
struct Traffic {
    var isIPv6: Bool
    var source: [UInt8]
    var destination: [UInt8]
    var transport: Transport
    /// Of IPv4.
    var options = 0
    /// Of IPv6.
    var headers: [ExtensionHeader] = []
    /// In bytes; if not 0, the transport header is in another packet.
    var fragmentOffset: UInt16 = 0
    var hasVLANTag = false

    var packet: Packet {
        var packet =
            if isIPv6 {
                Packet.ipv6(
                    transport,
                    from: source,
                    to: destination,
                    headers: headers + (fragmentOffset > 0 ? [.fragment(offset: fragmentOffset, more: true)] : [])
                )
            } else {
                Packet.ipv4(
                    transport,
                    from: source,
                    to: destination,
                    options: [UInt8](repeating: 1, count: options),
                    fragmentOffset: fragmentOffset
                )
            }
        packet.hasVLANTag = hasVLANTag
        return packet
    }
}

extension Traffic {
    /// Few different values, so that rules and packets often meet.
    static let ports: [UInt16] = [22, 53, 67, 68, 80, 443, 546, 547, 853, 32767, 32768, 40000, 40001, 60999, 61000]
    static let addresses = (
        v4: ["10.0.0.1", "10.0.0.2", "10.128.0.1", "192.0.2.1"].map(Address.bytes),
        v6: ["2001:db8::1", "2001:db8::2", "2001:db8:8000::1", "fe80::1"].map(Address.bytes)
    )
    private static let messages: [UInt8] = [0, 1, 3, 5, 8, 11, 12, 14, 128, 129, 132, 133, 135, 137, 138]

    static func random(_ generator: inout SeededGenerator) -> Traffic {
        let isIPv6 = Bool.random(using: &generator)
        let addresses = isIPv6 ? addresses.v6 : addresses.v4
        let (first, second) = (generator.pick(ports), generator.pick(ports))
        let transport: Transport =
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: .tcp(from: first, to: second)
            case 1: .udp(from: first, to: second)
            case 2: .icmp(generator.pick(messages))
            case 3: .icmpv6(generator.pick(messages))
            default: .bytes(first.bytes + second.bytes + [0, 0, 0, 0], number: generator.pick([2, 50, 132]))
            }
        var traffic = Traffic(
            isIPv6: isIPv6,
            source: generator.pick(addresses),
            destination: generator.pick(addresses),
            transport: transport
        )
        traffic.options = generator.pick([0, 0, 4, 40])
        let headers: [ExtensionHeader] = [
            .hopByHop(length: 1), .routing(length: 3), .destinationOptions(length: 2), .fragment(offset: 0, more: true),
        ]
        traffic.headers = (0..<generator.pick([0, 0, 1, 2])).map { _ in generator.pick(headers) }
        traffic.fragmentOffset = generator.isOne(in: 5) ? generator.pick([8, 1448, 0xFFF8]) : 0
        traffic.hasVLANTag = generator.isOne(in: 20)
        return traffic
    }
}
