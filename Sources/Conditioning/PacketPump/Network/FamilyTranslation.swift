// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles
internal import Netlink

/// A stateful NAT64 (RFC 6146) with a DNS64, at the far end of the uplink of one host without IPv4. The host's packets
/// get one IPv4 address; headers are translated as in RFC 7915.
///
/// It translates TCP, UDP and ICMP echoes in both directions, and ICMP errors to the host. Other packets, fragments,
/// and packets with extension headers are lost.
struct FamilyTranslation {
    /// An IPv6 address, in network byte order.
    typealias Address6 = InlineArray<4, UInt32>

    /// A protocol, with the host's port or the identifier of its echoes. `owners` has the host's IPv6 address that last
    /// sent with them: packets from outside go to this address.
    struct Port: Hashable {
        var transport: UInt8
        var number: UInt16
    }

    /// The result of translating a packet from the host.
    enum Departure {
        /// The packet is not for an IPv4 server.
        case unchanged
        /// The new bytes of the part that was passed; the rest of the packet stays as it is.
        case translated(UnsafeRawBufferPointer)
        case lost
    }

    /// The prefix of the IPv6 addresses that stand for IPv4 servers (RFC 6052, section 2.1).
    static let prefix: (UInt32, UInt32, UInt32) = (0x0064_FF9B, 0, 0)
    static let icmp: (v4: UInt8, v6: UInt8) = (1, 58)
    /// The types of an echo request and of its reply.
    private static let echo4: (UInt8, UInt8) = (8, 0)
    private static let echo6: (UInt8, UInt8) = (128, 129)
    static let maximumPorts = 4_096

    /// The host's address on the IPv4 side, in network byte order.
    private let address: UInt32
    /// The same address as `address`.
    let host: IPAddress
    private var owners = RecentTable<Port, Address6>(limit: maximumPorts)
    private var names = NameSynthesis()
    private let scratch: Scratch

    /// A buffer for the translated packet. Unchecked for the pointer: only the pump's thread translates.
    private final class Scratch: @unchecked Sendable {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: FramePool.largestBlock, alignment: 16)
        deinit { bytes.deallocate() }
    }

    init?(_ address: IPAddress) {
        guard address.family == .ipv4 else { return nil }
        host = address
        self.address = address.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        scratch = Scratch()
    }

    // MARK: From the host

    /// Whether a packet from the host passes: false if it is for an IPv4 server and cannot be translated.
    ///
    /// - Parameter bytes: the packet's frame, without the virtio-net header.
    func carries(_ bytes: UnsafeRawPointer, _ layout: FrameLayout) -> Bool {
        guard Self.isToServer(bytes, layout) else { return true }
        let network = Int(layout.network)
        guard layout.fragment == .none, Int(layout.transport) == network + 40, bytes.word(network + 4) > 0 else {
            return false
        }
        switch layout.kind {
        case .icmp: return Self.isEcho(layout)
        case .tcp: return true
        default: return layout.transportProtocol == 17
        }
    }

    private static func isToServer(_ bytes: UnsafeRawPointer, _ layout: FrameLayout) -> Bool {
        let target = bytes + Int(layout.network) + 24
        return layout.isIPv6 && target.long(0) == prefix.0 && target.long(4) == prefix.1 && target.long(8) == prefix.2
    }

    private static func isEcho(_ layout: FrameLayout) -> Bool {
        layout.messageType == echo6.0 || layout.messageType == echo6.1
    }

    /// Translates a packet from the host, or its first bytes, and notes the host's address for replies.
    ///
    /// - Parameters:
    ///   - head: the packet's bytes, from the virtio-net header at least to the end of the transport header.
    ///   - layout: the layout of the packet's frame.
    mutating func translateOutgoing(_ head: UnsafeRawBufferPointer, _ layout: FrameLayout) -> Departure {
        guard let start = head.baseAddress.map({ $0 + VirtioHeader.size }), Self.isToServer(start, layout) else {
            return .unchanged
        }
        guard carries(start, layout) else { return .lost }
        let network = Int(layout.network)
        let target = start + network + 24
        let total = Int((start + network).word(4))
        let isEcho = layout.kind == .icmp
        let owner = Port(transport: layout.transportProtocol, number: layout.sourcePort)
        owners.use(owner, (start + network + 8).loadUnaligned(as: Address6.self))

        // The link-layer header, 20 bytes for the IPv4 header in place of the 40 of IPv6, then the rest.
        let new = scratch.bytes
        new.copyMemory(from: head.baseAddress ?? start, byteCount: VirtioHeader.size + network)
        let frame = new + VirtioHeader.size
        (frame + network + 20).copyMemory(
            from: start + network + 40,
            byteCount: head.count - VirtioHeader.size - network - 40
        )
        frame.setWord(network - 2, 0x0800)
        let header = frame + network
        header.setWord(0, 0x4500 | (start + network).word(0) >> 4 & 0xFF)
        header.setWord(2, UInt16(truncatingIfNeeded: total + 20))
        // Identification 0 and "don't fragment", with which no identification is needed (RFC 6864).
        header.setLong(4, 0x4000)
        header.setByte(8, (start + network).byte(7))
        header.setByte(9, isEcho ? Self.icmp.v4 : layout.transportProtocol)
        header.storeBytes(of: address, toByteOffset: 12, as: UInt32.self)
        header.storeBytes(
            of: target.loadUnaligned(fromByteOffset: 12, as: UInt32.self),
            toByteOffset: 16,
            as: UInt32.self
        )
        FrameWriter.completeIPv4(header)

        let transport = TranslatedTransport(at: header + 20, in: new, offset: Int(layout.transport), layout.kind)
        transport.move(by: -20, to: .tcp4)
        transport.replaceAddresses(start + network + 8, 32, by: header + 12, 8)
        if isEcho {
            transport.replaceEcho(Self.echo6, Self.echo4, pseudo: start + network + 8, length: total, hadPseudo: true)
        }
        if layout.kind == .udp, layout.destinationPort == NameSynthesis.port {
            names.ask(header + 28, count: head.count - VirtioHeader.size - network - 48, owner.number, transport)
        }
        return .translated(UnsafeRawBufferPointer(start: new, count: head.count - 20))
    }

    // MARK: For the host

    /// Translates a packet from outside in place; false if the network loses it.
    mutating func translateIncoming(_ frame: StoredFrame) -> Bool {
        let layout = frame.record.pointee.layout
        let bytes = frame.bytes
        guard !layout.isIPv6, layout.kind != .opaque,
            bytes.loadUnaligned(fromByteOffset: layout.addresses + 4, as: UInt32.self) == address
        else { return true }
        let network = Int(layout.network)
        let header = Int(UnsafeRawPointer(bytes).byte(network) & 0xF) * 4
        guard layout.fragment == .none, layout.transport > 0 else { return false }
        if layout.kind == .icmp, layout.messageType != Self.echo4.0, layout.messageType != Self.echo4.1 {
            return translateError(frame, layout, header)
        }
        let kind = layout.kind
        guard kind == .tcp || kind == .icmp || layout.transportProtocol == 17 else { return false }
        let number = kind == .icmp ? layout.sourcePort : layout.destinationPort
        let transport = kind == .icmp ? Self.icmp.v6 : layout.transportProtocol
        guard let owner = owners[Port(transport: transport, number: number)] else { return false }
        let length = layout.end - network - header
        guard VirtioHeader.size + network + 40 + length <= StoredFrame.frameCapacity else { return false }
        var old = InlineArray<2, UInt32>(repeating: 0)
        old[0] = bytes.loadUnaligned(fromByteOffset: network + 12, as: UInt32.self)
        old[1] = address
        let (traffic, hops) = (UnsafeRawPointer(bytes).byte(network + 1), UnsafeRawPointer(bytes).byte(network + 8))
        (bytes + network + 40).copyMemory(from: bytes + network + header, byteCount: length)
        write(bytes, network, traffic: traffic, hops: hops, next: transport, length: length, from: old[0], to: owner)

        let moved = TranslatedTransport(at: bytes + network + 40, in: frame.header, offset: network + header, kind)
        moved.move(by: 40 - header, to: .tcp6)
        withUnsafeBytes(of: &old) { old in
            moved.replaceAddresses(old.baseAddress ?? UnsafeRawPointer(bytes), 8, by: bytes + network + 8, 32)
        }
        var total = network + 40 + length
        if kind == .icmp {
            moved.replaceEcho(Self.echo4, Self.echo6, pseudo: bytes + network + 8, length: length, hadPseudo: false)
        } else if kind == .udp {
            var answer: Int?
            if layout.sourcePort == NameSynthesis.port {
                let room = StoredFrame.frameCapacity - VirtioHeader.size - network - 48
                answer = names.answer(bytes + network + 48, count: length - 8, room: room, number)
            }
            if let answer {
                total = network + 48 + answer
                (bytes + network).setWord(4, UInt16(truncatingIfNeeded: 8 + answer))
                (bytes + network + 40).setWord(4, UInt16(truncatingIfNeeded: 8 + answer))
            }
            if answer != nil || moved.isAbsent {
                moved.complete(pseudo: bytes + network + 8, length: total - network - 40, 17)
            }
        }
        frame.describe(count: VirtioHeader.size + total, input: frame.record.pointee.input)
        return true
    }

    /// Writes the EtherType and the IPv6 header of a packet to the host.
    private func write(
        _ bytes: UnsafeMutableRawPointer,
        _ network: Int,
        traffic: UInt8,
        hops: UInt8,
        next: UInt8,
        length: Int,
        from server: UInt32,
        to owner: Address6
    ) {
        bytes.setWord(network - 2, 0x86DD)
        Self.writeHeader(bytes + network, traffic: traffic, hops: hops, next: next, length: length)
        Self.writeServer(bytes + network + 8, server)
        bytes.storeBytes(of: owner, toByteOffset: network + 24, as: Address6.self)
    }

    private static func writeHeader(
        _ header: UnsafeMutableRawPointer,
        traffic: UInt8,
        hops: UInt8,
        next: UInt8,
        length: Int
    ) {
        header.setLong(0, 0x6000_0000 | UInt32(traffic) << 20)
        header.setWord(4, UInt16(truncatingIfNeeded: length))
        header.setByte(6, next)
        header.setByte(7, hops)
    }

    /// Writes the IPv6 address that stands for an IPv4 server.
    private static func writeServer(_ destination: UnsafeMutableRawPointer, _ server: UInt32) {
        destination.setLong(0, prefix.0)
        destination.setLong(4, prefix.1)
        destination.setLong(8, prefix.2)
        destination.storeBytes(of: server, toByteOffset: 12, as: UInt32.self)
    }

    // MARK: Errors

    /// Translates an ICMP error about a packet from the host (RFC 7915, section 4.2); false if the network loses it.
    private func translateError(_ frame: StoredFrame, _ layout: FrameLayout, _ header: Int) -> Bool {
        let bytes = frame.bytes
        let start = UnsafeRawPointer(bytes)
        let (network, transport) = (Int(layout.network), Int(layout.transport))
        let quoted = Int(layout.payload)
        guard let (type, code) = Self.error(start.byte(transport), start.byte(transport + 1)) else { return false }
        guard layout.end - quoted >= 28 else { return false }
        let quotedHeader = Int(start.byte(quoted) & 0xF) * 4
        let number = start.byte(quoted + 9)
        guard number == 6 || number == 17 || number == Self.icmp.v4, quotedHeader >= 20,
            layout.end - quoted >= quotedHeader + 8,
            start.loadUnaligned(fromByteOffset: quoted + 12, as: UInt32.self) == address
        else { return false }
        let port = start.word(quoted + quotedHeader + (number == Self.icmp.v4 ? 4 : 0))
        let next = number == Self.icmp.v4 ? Self.icmp.v6 : number
        guard let owner = owners[Port(transport: next, number: port)] else { return false }
        // An error must fit into the smallest MTU (RFC 4443, section 2.4).
        let rest = min(layout.end - quoted - quotedHeader, 1_280 - 88)
        let server = start.loadUnaligned(fromByteOffset: quoted + 16, as: UInt32.self)
        let (traffic, hops) = (start.byte(quoted + 1), start.byte(quoted + 8))
        let length = max(Int(start.word(quoted + 2)) - quotedHeader, 0)
        let reporter = start.loadUnaligned(fromByteOffset: network + 12, as: UInt32.self)
        let limit = type == 2 ? UInt32(max(Int(start.word(transport + 6)) + 20, 1_280)) : 0
        (bytes + network + 88).copyMemory(from: bytes + quoted + quotedHeader, byteCount: rest)
        let message = bytes + network + 40
        write(bytes, network, traffic: 0, hops: 64, next: Self.icmp.v6, length: 48 + rest, from: reporter, to: owner)
        message.setWord(0, UInt16(type) << 8 | UInt16(code))
        message.setLong(4, limit)
        Self.writeHeader(message + 8, traffic: traffic, hops: hops, next: next, length: length)
        message.storeBytes(of: owner, toByteOffset: 16, as: Address6.self)
        Self.writeServer(message + 32, server)
        if number == Self.icmp.v4 { message.setByte(48, Self.echo6.0) }
        frame.header.storeBytes(of: VirtioHeader(), as: VirtioHeader.self)
        TranslatedTransport(at: message, in: frame.header, offset: network + 40, .icmp)
            .complete(pseudo: bytes + network + 8, length: 48 + rest, Self.icmp.v6)
        frame.describe(count: VirtioHeader.size + network + 88 + rest, input: frame.record.pointee.input)
        return true
    }

    /// The ICMPv6 type and code of an ICMP error; nil if ICMPv6 has no such error.
    private static func error(_ type: UInt8, _ code: UInt8) -> (UInt8, UInt8)? {
        switch (type, code) {
        case (3, 0), (3, 1), (3, 5...8), (3, 11), (3, 12): (1, 0)
        case (3, 3): (1, 4)
        case (3, 4): (2, 0)
        case (3, 9), (3, 10), (3, 13): (1, 1)
        case (11, 0), (11, 1): (3, code)
        default: nil
        }
    }
}
