// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The packet counters of an interface: `ip -s link show`.
package struct LinkTraffic: Hashable, Sendable {
    package let receivedPackets: UInt64
    package let sentPackets: UInt64

    init?(_ reply: Reply) {
        guard reply.type == RTM_NEWLINK, let (_, attributes) = reply.body.parse(ifinfomsg.self),
            let counters = attributes[Int(IFLA_STATS64)],
            let received = counters.load(UInt64.self), let sent = counters.load(UInt64.self, at: 8)
        else { return nil }
        (receivedPackets, sentPackets) = (received, sent)
    }
}

extension RouteConnection {
    /// Returns the counters of the interface called `name`; nil if the kernel sends none.
    package func traffic(of name: String) throws(NetlinkError) -> LinkTraffic? {
        let request = Request("count the packets of \(name)", type: Int(RTM_GETLINK), interface: name)
        return try replies(to: request).lazy.compactMap { LinkTraffic($0) }.first
    }
}
