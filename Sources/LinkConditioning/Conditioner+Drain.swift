// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// Waiting for what lanes still hold.
extension Conditioner {
    /// Waits until the pump behind `tap` holds nothing; gives what it holds at the deadline, and nil where it does not tell.
    func drainPump(_ tap: String, _ deadline: Duration) -> Int? {
        PumpClient(tap).awaitEmpty(until: deadline, pace)
    }

    /// Waits until the ifb holds nothing; gives what it holds at the deadline.
    func drainIFB(
        _ name: String,
        _ deadline: Duration,
        _ indexes: inout LinkIndexes
    ) throws(StepFailure) -> Int {
        do throws(NetlinkError) {
            return try held(by: name, until: deadline, indexes.index(of: name))
        } catch {
            throw .kernel(error)
        }
    }

    private func held(by name: String, until deadline: Duration, _ link: Int32) throws(NetlinkError) -> Int {
        var nap = Duration.milliseconds(1)
        while true {
            let held =
                try connection.qdiscs().filter { $0.link == link }
                .compactMap { $0.statistics?.queuedPackets }.max() ?? 0
            // An ifb counts a packet in when its qdisc hands it over and out when it sends it on; what it has in between
            // would be lost with it, and the qdisc knows nothing of it any more.
            let traffic = held > 0 ? nil : try connection.traffic(of: name)
            let passing = traffic.map { $0.receivedPackets &- $0.sentPackets } ?? 0
            guard held > 0 || passing > 0, pace.now() < deadline else { return Int(held) }
            pace.sleep(nap)
            nap = min(nap * 2, .milliseconds(20))
        }
    }
}
