// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
package import InternetAddresses
internal import LinkProfiles

/// An IP packet on the wire, with the parsed headers that faults match.
struct FaultedPacket {
    /// The packet from the IP header on.
    let bytes: [UInt8]
    let direction: Direction
    let ip: IPHeader
    /// The TCP header; nil if the packet is not TCP, is a fragment other than the first, or was cut.
    let tcp: TCPHeader?
    /// The ports of TCP and UDP.
    let ports: (source: UInt16, destination: UInt16)?
    /// The protocol; nil if faults have no name for its number.
    let transport: TransportProtocol?
    /// Type and code of ICMP.
    let message: (type: UInt8, code: UInt8)?
    /// The range of the transport's payload.
    let payload: Range<Int>

    static let numbers: [UInt8: TransportProtocol] = [6: .tcp, 17: .udp, 1: .icmp, 58: .icmp]

    /// Reads a packet; nil if it is not an IP packet.
    init?(_ bytes: [UInt8], _ direction: Direction) {
        let headers = PacketHeaders(bytes, .raw, length: bytes.count)
        guard let ip = headers.ip else { return nil }
        (self.bytes, self.direction, self.ip) = (bytes, direction, ip)
        (ports, payload) = (headers.ports, headers.payload)
        transport = Self.numbers[ip.transportProtocol]
        switch headers.transport {
        case .tcp(let header): (tcp, message) = (header, nil)
        case .icmp(let type, let code): (tcp, message) = (nil, (type, code))
        default: (tcp, message) = (nil, nil)
        }
    }

    /// The end on the conditioned host's side; on loopback, the end that opened the flow.
    var near: FaultEnd { direction == .uplink ? source : destination }
    /// The other end's address and port.
    var far: FaultEnd { direction == .uplink ? destination : source }
    var source: FaultEnd { FaultEnd(address: ip.source, port: ports?.source ?? 0) }
    var destination: FaultEnd { FaultEnd(address: ip.destination, port: ports?.destination ?? 0) }

    var data: ArraySlice<UInt8> { bytes[payload] }

    /// The number of sequence numbers that the segment occupies: payload bytes, SYN and FIN.
    var sequenceLength: Int {
        guard let tcp else { return 0 }
        return payload.count + (tcp.flags.contains(.syn) ? 1 : 0) + (tcp.flags.contains(.fin) ? 1 : 0)
    }

    /// Whether the packet opens a TCP connection: SYN without ACK.
    var isOpening: Bool { tcp.map { $0.flags.contains(.syn) && !$0.flags.contains(.acknowledgment) } ?? false }
    /// Whether the packet is a SYN or a SYN-ACK.
    var isOfHandshake: Bool { tcp?.flags.contains(.syn) ?? false }
    /// Whether the packet is an RST.
    var isReset: Bool { tcp?.flags.contains(.reset) ?? false }

    /// Whether an ICMP error may be sent about the packet (RFC 1122, section 3.2.2; RFC 4443, section 2.4).
    var mayBeRefused: Bool {
        guard ip.fragmentOffset == 0, !isToMany else { return false }
        guard transport == .icmp, let message else { return transport != .icmp }
        return ip.source.family == .ipv6 ? message.type >= 128 : ![3, 4, 5, 11, 12].contains(message.type)
    }

    private var isToMany: Bool {
        let address = ip.destination.bytes
        return ip.destination.family == .ipv6
            ? address[0] == 0xFF : address[0] >= 224 || ip.source.isUnspecified
    }

    /// Whether routers must not fragment the packet.
    var isUnfragmentable: Bool { ip.source.family == .ipv6 || bytes[6] & 0x40 != 0 }
}

/// An address and a port; the port is 0 for a protocol without ports.
package struct FaultEnd: Hashable, Sendable {
    package var address: IPAddress
    package var port: UInt16

    package init(address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }
}
