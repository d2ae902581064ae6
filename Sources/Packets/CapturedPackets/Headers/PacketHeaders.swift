// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

/// The headers of a packet: the link's, IP, and TCP, UDP or ICMP. A packet that was cut has those that are left of it.
package struct PacketHeaders: Hashable, Sendable {
    /// nil for other kinds of links.
    package var ethernet: EthernetHeader?
    /// The protocol above the link: an EtherType.
    package var etherType: UInt16 = 0
    /// The length of the headers before that protocol's.
    package var networkOffset = 0
    /// The IP header; nil if there is none, or if it is cut or invalid.
    package var ip: IPHeader?
    /// The header above IP; nil if it is cut or invalid, and in fragments but the first.
    package var transport: Transport?
    /// The payload among the bytes that were kept: above the last header that was parsed.
    package var payload: Range<Int> = 0..<0
    /// The length of the payload in the packet, of which fewer bytes may have been kept.
    package var payloadLength = 0

    package enum Transport: Hashable, Sendable {
        case tcp(TCPHeader)
        case udp(sourcePort: UInt16, destinationPort: UInt16)
        case icmp(type: UInt8, code: UInt8)
        case other
    }

    /// - Parameter length: the length of the packet, of which `bytes` may be the start.
    package init(_ bytes: [UInt8], _ linkType: CapturedInterface.LinkType, length: Int) {
        var cursor = ByteCursor(bytes[...])
        let link = LinkHeader(&cursor, linkType)
        (ethernet, etherType, networkOffset) = (link.ethernet, link.etherType, cursor.offset)
        payload = cursor.offset..<bytes.count
        payloadLength = max(length - cursor.offset, 0)
        guard etherType == IPHeader.ipv4Type || etherType == IPHeader.ipv6Type else { return }
        let start = cursor.offset
        let isIPv6 = etherType == IPHeader.ipv6Type
        guard let header = isIPv6 ? IPHeader(ipv6: &cursor) : IPHeader(ipv4: &cursor) else { return }
        ip = header
        // A super-packet above 64 KiB has no length; Ethernet pads short frames.
        let end = header.length == 0 ? length : min(start + header.length, length)
        finish(at: cursor.offset, end, bytes)
        guard header.fragmentOffset == 0 else { return }
        transport = Self.transport(header, &cursor)
        if transport != nil { finish(at: cursor.offset, end, bytes) }
    }

    private mutating func finish(at offset: Int, _ end: Int, _ bytes: [UInt8]) {
        payload = min(offset, bytes.count)..<max(min(end, bytes.count), min(offset, bytes.count))
        payloadLength = max(end - offset, 0)
    }

    private static func transport(_ ip: IPHeader, _ cursor: inout ByteCursor) -> Transport? {
        switch ip.transportProtocol {
        case IPHeader.tcp: return TCPHeader(&cursor).map { .tcp($0) }
        case IPHeader.udp:
            guard let source = cursor.word(), let destination = cursor.word(), cursor.skip(4) else { return nil }
            return .udp(sourcePort: source, destinationPort: destination)
        case ip.source.family == .ipv6 ? IPHeader.icmp6 : IPHeader.icmp4:
            guard let type = cursor.byte(), let code = cursor.byte(), cursor.skip(6) else { return nil }
            return .icmp(type: type, code: code)
        default: return .other
        }
    }

    /// The ports of source and destination, of TCP and UDP.
    package var ports: (source: UInt16, destination: UInt16)? {
        switch transport {
        case .tcp(let header): (header.sourcePort, header.destinationPort)
        case .udp(let source, let destination): (source, destination)
        default: nil
        }
    }
}
