// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The counters of a qdisc (linux/gen_stats.h). Sent packets are counted when they are dequeued, as wire packets.
package struct QdiscStatistics: Hashable, Sendable {
    /// Bytes sent, including Ethernet headers.
    package let bytes: UInt64
    /// Packets sent.
    package let packets: UInt64
    package let queuedPackets: UInt32
    package let queuedBytes: UInt32
    /// Packets dropped; for netem both by the loss model and by the limit.
    package let drops: UInt32

    init?(_ attributes: AttributeReader) {
        guard let statistics = attributes.nested(TCA_STATS2),
            let basic = statistics[Int(TCA_STATS_BASIC)],
            let bytes = basic.load(UInt64.self), let packets = basic.load(UInt32.self, at: 8)
        else { return nil }
        self.bytes = bytes
        self.packets = statistics.value(Int(TCA_STATS_PKT64)) ?? UInt64(packets)
        let queue = statistics[Int(TCA_STATS_QUEUE)] ?? []
        queuedPackets = queue.load(at: 0) ?? 0
        queuedBytes = queue.load(at: 4) ?? 0
        drops = queue.load(at: 8) ?? 0
    }
}

extension RouteConnection {
    /// The counters of the root qdisc of each device, by the device's index. Their options are not read.
    package func rootStatistics() throws(NetlinkError) -> [Int32: QdiscStatistics] {
        let request = Request("list the qdiscs", type: Int(RTM_GETQDISC), flags: NLM_F_DUMP) { $0.append(tcmsg()) }
        var statistics: [Int32: QdiscStatistics] = [:]
        for reply in try replies(to: request) {
            guard reply.type == RTM_NEWQDISC, let (header, attributes) = reply.body.parse(tcmsg.self),
                header.tcm_parent == Handle.root.rawValue
            else { continue }
            statistics[header.tcm_ifindex] = QdiscStatistics(attributes)
        }
        return statistics
    }
}
