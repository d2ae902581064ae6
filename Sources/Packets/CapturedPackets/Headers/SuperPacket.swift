// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

/// A TCP or UDP packet larger than the link allows, which stands for several wire packets (segmentation offload): the
/// sender's network card splits it, or the receiver has joined it.
package enum SuperPacket {
    /// Calls `body` with each wire packet of a super-packet: the headers as a network card would write them, the part
    /// of the payload that was kept, and the packet's length. Calls it with the super-packet itself if that is neither
    /// TCP nor UDP or its headers are cut. One array is reused for all packets.
    ///
    /// IP and TCP checksums are copied from the super-packet: they are not valid in the wire packets.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that were kept of the super-packet, from the link's header on.
    ///   - length: the whole length of the super-packet.
    ///   - segmentSize: the bytes of payload in each wire packet except the last.
    package static func forEachWirePacket(
        of bytes: [UInt8],
        length: Int,
        segmentSize: Int,
        _ linkType: CapturedInterface.LinkType,
        _ body: (_ bytes: borrowing [UInt8], _ length: Int) -> Void
    ) {
        let headers = PacketHeaders(bytes, linkType, length: length)
        guard segmentSize > 0, headers.payloadLength > segmentSize, let ip = headers.ip, !ip.isFragment,
            headers.payload.lowerBound <= bytes.count, let starts = starts(of: headers)
        else { return body(bytes, length) }
        var packet = Array(bytes[..<headers.payload.lowerBound])
        let (head, network) = (packet.count, starts.network)
        for index in 0..<(headers.payloadLength + segmentSize - 1) / segmentSize {
            let start = index * segmentSize
            let size = min(segmentSize, headers.payloadLength - start)
            let total = head - network + size
            if ip.source.family == .ipv4 {
                packet.store(UInt16(truncatingIfNeeded: total), at: network + 2)
                packet.store(UInt16(truncatingIfNeeded: Int(ip.identification) + index), at: network + 4)
            } else {
                packet.store(UInt16(truncatingIfNeeded: total - 40), at: network + 4)
            }
            switch headers.transport {
            case .tcp(let tcp):
                packet.store((tcp.sequence + start).number, at: starts.transport + 4)
                let isLast = start + size == headers.payloadLength
                // FIN and PSH belong to the last byte, CWR to the first segment (RFC 3168).
                var flags = tcp.flags
                if !isLast { flags.subtract([.fin, .push]) }
                if index > 0 { flags.remove(.congestionReduced) }
                packet[starts.transport + 13] = flags.rawValue
            default: packet.store(UInt16(truncatingIfNeeded: size + 8), at: starts.transport + 4)
            }
            packet.removeSubrange(head...)
            packet += bytes.dropFirst(head + start).prefix(size)
            body(packet, head + size)
        }
    }

    /// The offsets of the IP and transport headers from the start of the packet; nil unless it is TCP or UDP.
    private static func starts(of headers: PacketHeaders) -> (network: Int, transport: Int)? {
        let network = headers.networkOffset
        switch headers.transport {
        case .tcp(let tcp): return (network, headers.payload.lowerBound - tcp.headerLength)
        case .udp: return (network, headers.payload.lowerBound - 8)
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Stores a number in network byte order.
    fileprivate mutating func store(_ number: some FixedWidthInteger, at offset: Int) {
        let size = MemoryLayout.size(ofValue: number)
        for index in 0..<size {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> ((size - 1 - index) * 8))
        }
    }
}
