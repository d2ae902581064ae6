// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

/// The headers of a packet: link, IP, and TCP, UDP or ICMP. Of a packet that was cut, the headers that are complete.
package struct PacketHeaders: Hashable, Sendable {
    /// The Ethernet header; nil for links of another kind.
    package var ethernet: EthernetHeader?
    /// The EtherType of the network layer.
    package var etherType: UInt16 = 0
    /// The length of the link's headers in bytes: the offset of the network header.
    package var networkOffset = 0
    /// The IP header; nil if there is none, or if it is cut or invalid.
    package var ip: IPHeader?
    /// The transport header; nil if it is cut or invalid, and in all fragments except the first.
    package var transport: Transport?
    /// The range of the payload, after the last parsed header, within the bytes that were kept.
    package var payload: Range<Int> = 0..<0
    /// The payload's length in the original packet; the capture may have kept fewer bytes.
    package var payloadLength = 0

    package enum Transport: Hashable, Sendable {
        case tcp(TCPHeader)
        case udp(sourcePort: UInt16, destinationPort: UInt16)
        case icmp(type: UInt8, code: UInt8)
        case other
    }

    /// - Parameter length: the length of the original packet; `bytes` may be only its start.
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

    /// The source and destination ports; nil unless the packet is TCP or UDP.
    package var ports: (source: UInt16, destination: UInt16)? {
        switch transport {
        case .tcp(let header): (header.sourcePort, header.destinationPort)
        case .udp(let source, let destination): (source, destination)
        default: nil
        }
    }
}
