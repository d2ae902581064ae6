// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The packet counters of an interface: `ip -s link show`.
public struct LinkTraffic: Hashable, Sendable {
    /// Packets received.
    public let receivedPackets: UInt64
    /// Packets sent.
    public let sentPackets: UInt64

    init?(_ reply: Reply) {
        guard reply.type == RTM_NEWLINK, reply.body.count > MemoryLayout<ifinfomsg>.size else { return nil }
        let attributes = AttributeReader(reply.body.dropFirst(MemoryLayout<ifinfomsg>.size))
        guard let counters = attributes[Int(IFLA_STATS64)], counters.count >= 16 else { return nil }
        (receivedPackets, sentPackets) = counters.withUnsafeBytes { bytes in
            (
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
    }
}

extension RouteConnection {
    /// Returns the counters of the interface called `name`; nil if the kernel sends none.
    public func traffic(of name: String) throws(NetlinkError) -> LinkTraffic? {
        let request = Request("count the packets of \(name)", type: Int(RTM_GETLINK), flags: NLM_F_ACK) { message in
            message.append(ifinfomsg())
            message.put(Int(IFLA_IFNAME), text: name)
        }
        return try replies(to: request).lazy.compactMap { LinkTraffic($0) }.first
    }
}
