// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A packet for a filter.
struct Packet {
    var etherType: UInt16
    var hasVLANTag = false
    /// The bytes from the network header on.
    var network: [UInt8]

    /// The bytes as a filter sees them, after an Ethernet header if the device has one.
    func frame(networkOffset: UInt32) -> [UInt8] {
        guard networkOffset > 0 else { return network }
        return [UInt8](repeating: 0x02, count: Int(networkOffset) - 2) + etherType.bytes + network
    }

    /// The packet with a VLAN tag, which the kernel removes from the bytes.
    var tagged: Packet {
        var packet = self
        packet.hasVLANTag = true
        return packet
    }

    /// The packet's first bytes only.
    func cut(to count: Int) -> Packet {
        var packet = self
        packet.network = Array(network.prefix(count))
        return packet
    }
}

extension Packet {
    /// Who has 192.0.2.1?
    static let arp = Packet(etherType: 0x0806, network: [0, 1, 8, 0, 6, 4, 0, 1] + [UInt8](repeating: 0, count: 20))

    /// An IPv4 packet; `fragmentOffset` is in bytes, `options` are padded to whole words.
    static func ipv4(
        _ transport: Transport,
        from source: [UInt8] = Address.bytes("192.0.2.1"),
        to destination: [UInt8] = Address.bytes("198.51.100.2"),
        options: [UInt8] = [],
        fragmentOffset: UInt16 = 0,
        moreFragments: Bool = false
    ) -> Packet {
        let padded = options + [UInt8](repeating: 0, count: (4 - options.count % 4) % 4)
        let words = UInt8(5 + padded.count / 4)
        let length = UInt16(Int(words) * 4 + transport.bytes.count)
        let fragment = fragmentOffset / 8 | (moreFragments ? 0x2000 : 0)
        let header = [0x40 | words, 0] + length.bytes + [0x12, 0x34] + fragment.bytes + [64, transport.number, 0, 0]
        return Packet(etherType: 0x0800, network: header + source + destination + padded + transport.bytes)
    }

    /// An IPv6 packet with extension headers in the order given.
    static func ipv6(
        _ transport: Transport,
        from source: [UInt8] = Address.bytes("2001:db8::1"),
        to destination: [UInt8] = Address.bytes("2001:db8:1::2"),
        headers: [ExtensionHeader] = []
    ) -> Packet {
        let numbers = headers.map(\.number) + [transport.number]
        let chain = zip(headers, numbers.dropFirst()).flatMap { header, next in header.bytes(next: next) }
        let payload = chain + transport.bytes
        let header = [0x60, 0, 0, 0] + UInt16(payload.count).bytes + [numbers[0], 64]
        return Packet(etherType: 0x86DD, network: header + source + destination + payload)
    }
}

/// Addresses in bytes.
enum Address {
    static func bytes(_ text: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        precondition(inet_pton(AF_INET6, text, &bytes) == 1, "\(text) is no address")
        return bytes
    }
}

extension UInt16 {
    var bytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
