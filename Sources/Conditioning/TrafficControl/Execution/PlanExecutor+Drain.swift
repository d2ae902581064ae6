// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// Waits for packets that lanes still hold.
extension PlanExecutor {
    /// Waits until a lane holds no packets.
    ///
    /// - Returns: the number of packets that the lane holds at the deadline; nil if the lane's pump does not answer.
    func drain(
        _ holder: LaneHolder,
        until deadline: Duration,
        _ indexes: inout LinkIndexes
    ) throws(StepFailure) -> Int? {
        switch holder {
        case .pump(let tap): return pumps.drain(tap: tap, until: deadline, pace)
        case .ifb(let name), .root(let name):
            let isIFB = holder == .ifb(name)
            do {
                return try held(by: name, isIFB: isIFB, until: deadline, indexes.index(of: name))
            } catch {
                throw StepFailure(error, of: .deleteDevice(name))
            }
        }
    }

    private func held(
        by name: String,
        isIFB: Bool,
        until deadline: Duration,
        _ link: Int32
    ) throws(NetlinkError) -> Int {
        var held: UInt32 = 0
        _ = try pace.waits(until: deadline) { () throws(NetlinkError) in
            held =
                try connection.qdiscs().filter { $0.link == link }
                .compactMap { $0.statistics?.queuedPackets }.max() ?? 0
            // An ifb counts a packet as received when its qdisc releases the packet, and as sent when the ifb transmits
            // it. Packets between the two are no longer in the qdisc, and would be lost with the ifb.
            let traffic = held > 0 || !isIFB ? nil : try connection.traffic(of: name)
            let passing = traffic.map { $0.receivedPackets &- $0.sentPackets } ?? 0
            return held == 0 && passing == 0
        }
        return Int(held)
    }
}
