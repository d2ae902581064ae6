// SPDX-License-Identifier: Apache-2.0

/// The offsets of the parts of an Ethernet frame. All offsets are within the frame that they were read from.
package struct FrameLayout: Equatable {
    /// The protocol of the frame.
    package enum Kind: UInt8 {
        /// A frame without IP, or with an invalid IP header.
        case opaque
        case tcp
        case udp
        /// ICMP or ICMPv6.
        case icmp
        /// Another protocol, or truncated headers.
        case other
    }

    /// The part of an IP packet that a frame contains.
    package enum Fragment: UInt8 {
        case none
        /// The fragment with the transport header.
        case first
        case later
    }

    package var kind = Kind.opaque
    package var fragment = Fragment.none
    package var isIPv6 = false
    /// Whether the packet is neighbour discovery (ICMPv6 133 to 137) or DHCP (ports 67, 68, 546 and 547): such packets
    /// are never conditioned.
    package var isLinkUpkeep = false
    package var transportProtocol: UInt8 = 0
    /// The ICMP message type.
    package var messageType: UInt8 = 0
    /// The ECN bits of the IP header (RFC 3168): 0 if the packet must not be marked.
    package var congestion: UInt8 = 0
    /// The start of the IP header.
    package var network: UInt16 = 0
    /// The start of the transport header; 0 if there is none.
    package var transport: UInt16 = 0
    /// The start of the transport's payload; 0 if there is no transport header.
    package var payload: UInt16 = 0
    /// The source port, or the identifier of an ICMP echo.
    package var sourcePort: UInt16 = 0
    package var destinationPort: UInt16 = 0
    /// The identification of a fragmented packet.
    package var identification: UInt32 = 0
    /// The end of the IP packet; padding may follow.
    package var end: Int = 0

    /// The packet's size as profiles count it: the IP packet and an Ethernet header of 14 bytes, without tags.
    @inline(__always) package var countedBytes: Int { end - Int(network) + 14 }

    /// The first byte of the source address, from the start of the frame; the destination follows it.
    @inline(__always) package var addresses: Int { Int(network) + (isIPv6 ? 8 : 12) }

    /// Bytes of one address.
    @inline(__always) package var addressLength: Int { isIPv6 ? 16 : 4 }
}

extension FrameLayout {
    private static func isDHCP(_ port: UInt16) -> Bool { port == 67 || port == 68 || port == 546 || port == 547 }

    /// The number of extension headers that are followed; real packets have two or three.
    private static let longestChain = 16

    /// Reads a frame, without its virtio-net header.
    init(_ frame: UnsafeRawBufferPointer) {
        guard let start = frame.baseAddress, frame.count >= 14 else { return }
        end = frame.count
        var offset = 12
        var type = start.word(offset)
        // 802.1Q and 802.1ad, at most two tags.
        for _ in 0..<2 where type == 0x8100 || type == 0x88A8 {
            guard frame.count >= offset + 6 else { return }
            offset += 4
            type = start.word(offset)
        }
        network = UInt16(offset + 2)
        switch type {
        case 0x0800: readIPv4(start, frame.count)
        case 0x86DD: readIPv6(start, frame.count)
        default: break
        }
    }

    /// Reads an IP packet without a link-layer header.
    package init(packet: UnsafeRawBufferPointer) {
        guard let start = packet.baseAddress, packet.count >= 1 else { return }
        end = packet.count
        switch start.byte(0) >> 4 {
        case 4: readIPv4(start, packet.count)
        case 6: readIPv6(start, packet.count)
        default: break
        }
    }

    /// Reads the packet that an ICMP error quotes, which may be truncated after its ports.
    init(quoted start: UnsafeRawPointer, from offset: Int, to limit: Int, isIPv6: Bool) {
        end = limit
        guard offset <= UInt16.max else { return }
        network = UInt16(offset)
        isIPv6 ? readIPv6(start, limit, isQuotation: true) : readIPv4(start, limit, isQuotation: true)
    }

    private mutating func readIPv4(_ start: UnsafeRawPointer, _ count: Int, isQuotation: Bool = false) {
        let header = Int(network)
        guard count - header >= 20, start.byte(header) >> 4 == 4 else { return }
        let length = Int(start.byte(header) & 0xF) * 4
        var total = Int(start.word(header + 2))
        // A super-packet above 64 KiB has no length (BIG TCP, since Linux 6.3).
        if total == 0 || isQuotation { total = count - header }
        guard length >= 20, total >= length, total <= count - header else { return }
        end = header + total
        kind = .other
        congestion = start.byte(header + 1) & 3
        transportProtocol = start.byte(header + 9)
        let fragmentation = start.word(header + 6)
        if fragmentation & 0x3FFF != 0 {
            fragment = fragmentation & 0x1FFF == 0 ? .first : .later
            identification = UInt32(start.word(header + 4))
        }
        if fragment != .later { readTransport(start, header + length) }
    }

    private mutating func readIPv6(_ start: UnsafeRawPointer, _ count: Int, isQuotation: Bool = false) {
        let header = Int(network)
        guard count - header >= 40, start.byte(header) >> 4 == 6 else { return }
        var total = 40 + Int(start.word(header + 4))
        // A jumbogram (RFC 2675), or a super-packet above 64 KiB.
        if total == 40 && start.byte(header + 6) == 0 || isQuotation { total = count - header }
        guard total <= count - header else { return }
        end = header + total
        isIPv6 = true
        kind = .other
        congestion = start.byte(header + 1) >> 4 & 3
        var next = start.byte(header + 6)
        var offset = header + 40
        for _ in 0..<Self.longestChain {
            switch next {
            case 0, 43, 60, 51:
                guard end - offset >= 8 else { return }
                // AH (RFC 4302) counts in 4 bytes, the others in 8 (RFC 8200).
                let length = next == 51 ? (Int(start.byte(offset + 1)) + 2) * 4 : (Int(start.byte(offset + 1)) + 1) * 8
                next = start.byte(offset)
                guard end - offset >= length else { return }
                offset += length
            case 44:
                guard end - offset >= 8 else { return }
                let fragmentation = start.word(offset + 2)
                // An atomic fragment (RFC 6946) is a whole packet.
                if fragmentation & 0xFFF9 != 0 { fragment = fragmentation & 0xFFF8 == 0 ? .first : .later }
                identification = start.long(offset + 4)
                next = start.byte(offset)
                offset += 8
                if fragment == .later {
                    transportProtocol = next
                    return
                }
            default:
                transportProtocol = next
                return readTransport(start, offset)
            }
        }
    }

    private mutating func readTransport(_ start: UnsafeRawPointer, _ offset: Int) {
        let room = end - offset
        switch transportProtocol {
        case 6:
            guard room >= 4 else { return }
            readPorts(start, offset)
            kind = .tcp
            guard room >= 20 else { return }
            let length = Int(start.byte(offset + 12) >> 4) * 4
            guard length >= 20, length <= room else { return }
            setTransport(offset, length)
        case 17, 136:
            guard room >= 4 else { return }
            readPorts(start, offset)
            kind = .udp
            isLinkUpkeep = Self.isDHCP(sourcePort) || Self.isDHCP(destinationPort)
            if room >= 8 { setTransport(offset, 8) }
        case isIPv6 ? 58 : 1:
            guard room >= 4 else { return }
            kind = .icmp
            messageType = start.byte(offset)
            isLinkUpkeep = isIPv6 && (133...137).contains(messageType)
            guard room >= 8 else { return }
            sourcePort = start.word(offset + 4)
            setTransport(offset, 8)
        default: break
        }
    }

    private mutating func readPorts(_ start: UnsafeRawPointer, _ offset: Int) {
        sourcePort = start.word(offset)
        destinationPort = start.word(offset + 2)
    }

    private mutating func setTransport(_ offset: Int, _ length: Int) {
        guard offset + length <= UInt16.max else { return }
        transport = UInt16(offset)
        payload = UInt16(offset + length)
    }
}
