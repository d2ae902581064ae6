// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
package import InternetAddresses
package import LinkEmulation
package import LinkProfiles

/// The packets of a capture as they arrived at a link: packets from its host on the uplink, packets to it on the
/// downlink.
package struct CapturedArrivals {
    /// The packets of each lane, in the order of their times, which count from the first packet of any lane.
    package private(set) var lanes: [Lane: [LinkPipeline.Arrival]] = [:]
    /// The number of packets that are neither from the host nor to it.
    package private(set) var others = 0
    package private(set) var host: IPAddress?
    /// The marks of the flows that have begun.
    private var marks: [FlowEnds: UInt16] = [:]

    /// Reads the packets of a capture.
    ///
    /// - Parameters:
    ///   - host: the address of the link's host; nil to use the direction that the capture records for a packet, or
    ///     else the source of the first packet as the host.
    ///   - hasQueryLane: whether packets to port 53 have a lane of their own.
    ///   - read: passes each record of the capture to its argument.
    package init(
        host: IPAddress?,
        hasQueryLane: Bool,
        from read: (_ body: (CaptureRecord) -> Bool) throws -> Void
    ) throws {
        self.host = host
        var interfaces: [CapturedInterface] = []
        var start: Int64?
        try read { record in
            switch record {
            case .section: interfaces = []
            case .interface(let interface): interfaces.append(interface)
            case .packet(let packet):
                guard interfaces.indices.contains(packet.interface) else { break }
                let headers = PacketHeaders(packet.bytes, interfaces[packet.interface].linkType, length: packet.length)
                guard let ip = headers.ip, let lane = lane(of: packet, headers, ip, hasQueryLane: hasQueryLane) else {
                    others += 1
                    break
                }
                start = min(start ?? packet.time, packet.time)
                let bytes = ip.length > 0 ? ip.length : packet.length - headers.networkOffset
                lanes[lane, default: []].append(
                    LinkPipeline.Arrival(
                        time: LinkTime(nanoseconds: packet.time),
                        frameBytes: bytes + Frame.headerBytes,
                        ecn: ip.ecn,
                        flow: mark(ip, headers)
                    )
                )
            case .names, .tlsKeys, .statistics: break
            }
            return true
        }
        lanes = lanes.mapValues { arrivals in
            arrivals.map { arrival in
                var arrival = arrival
                arrival.time = LinkTime(nanoseconds: arrival.time.nanoseconds - (start ?? 0))
                return arrival
            }.sorted { $0.time < $1.time }
        }
    }

    /// Tells flows apart: a number for each, in the order in which they begin.
    private mutating func mark(_ ip: IPHeader, _ headers: PacketHeaders) -> UInt16 {
        let ends = FlowEnds(source: ip.source, destination: ip.destination, ports: headers.portPair)
        return marks[ends]
            ?? {
                let mark = UInt16(truncatingIfNeeded: marks.count)
                marks[ends] = mark
                return mark
            }()
    }

    private mutating func lane(
        of packet: CapturedPacket,
        _ headers: PacketHeaders,
        _ ip: IPHeader,
        hasQueryLane: Bool
    ) -> Lane? {
        let fate = packet.fate
        // A duplicate that the link made did not arrive at the link.
        if let fate, case .duplicate = fate.fate { return nil }
        var direction = host == nil ? packet.linkDirection(fate) : fate?.lane.direction
        if direction == nil {
            if host == nil { host = ip.source }
            direction = ip.source == host ? .uplink : ip.destination == host ? .downlink : nil
        }
        guard let direction else { return nil }
        guard direction == .uplink else { return .downlink }
        return hasQueryLane && headers.destinationPort == 53 ? .dns : .uplink
    }
}

private struct FlowEnds: Hashable {
    let source: IPAddress
    let destination: IPAddress
    let ports: [UInt16]
}

extension PacketHeaders {
    fileprivate var portPair: [UInt16] { ports.map { [$0.source, $0.destination] } ?? [] }

    fileprivate var destinationPort: UInt16? {
        switch transport {
        case .tcp(let tcp): tcp.destinationPort
        case .udp(_, let port): port
        case .icmp, .other, nil: nil
        }
    }
}
