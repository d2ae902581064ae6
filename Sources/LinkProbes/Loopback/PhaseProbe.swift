// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
package import LinkVerification

/// Sends the packets of a phase over the loopback of this process's network, and writes down when each was sent and when it
/// came.
///
/// The uplink's go to the phase's port, and open the connection; the downlink's are the answers. Times are nanoseconds of the
/// wall clock: taken ahead of the system call, and by the kernel as the datagram comes.
package enum PhaseProbe {
    /// - Parameter conditions: when the conditions took effect, by the wall clock; nil where that does not matter.
    package static func run(_ phase: ProbePhase, conditions: Int64? = nil) throws(ProbeError) -> PhaseRecord {
        // What is late by the timer's slack would be sent in lumps.
        _ = lc_prctl(PR_SET_TIMERSLACK, 1)
        if phase.kind == .tcp {
            return PhaseRecord(
                start: conditions,
                roundTrips: try ConnectionProbe.run(phase.connections, phase.patience)
            )
        }
        let (client, server) = try ProbeSocket.pair(phase)
        let start = lc_wall_time() + 1_000_000
        var flows: [(direction: Direction, flow: ProbeFlow)] = []
        if let traffic = phase.flows[.uplink] {
            flows.append(
                (.uplink, try ProbeFlow(traffic, isIPv6: phase.isIPv6, from: client, to: server, start: start))
            )
        } else {
            // The flow's first packet says who opened it.
            var opening = try ProbeFlow(
                ProbeTraffic(packets: 1, interval: .seconds(1), payload: 24),
                isIPv6: phase.isIPv6,
                from: client,
                to: server,
                start: start
            )
            try opening.send(start)
        }
        if let traffic = phase.flows[.downlink] {
            let later = start + 2_000_000
            flows.append(
                (.downlink, try ProbeFlow(traffic, isIPv6: phase.isIPv6, from: server, to: client, start: later))
            )
        }
        var last = start
        var clock = ClockWatch()
        while true {
            try clock.look()
            var hasNews = false
            var next = Int64.max
            for index in flows.indices {
                let now = lc_wall_time()
                if flows[index].flow.next <= now {
                    try flows[index].flow.send(now)
                    hasNews = true
                }
                if try flows[index].flow.receive() { hasNews = true }
                next = min(next, flows[index].flow.next)
            }
            let now = lc_wall_time()
            if hasNews { last = now }
            if next == .max {
                if flows.allSatisfy(\.flow.isComplete), !phase.waitsForCopies { break }
                if now - last > phase.patience.nanoseconds { break }
            }
            if next > now { pause(min(next - now, 20_000_000)) }
        }
        return PhaseRecord(
            start: conditions,
            flows: Dictionary(uniqueKeysWithValues: flows.map { ($0.direction, $0.flow.record) }),
            lateness: flows.flatMap { $0.flow.lateness.map { Double($0) / 1e6 } }
        )
    }

    private static func pause(_ nanoseconds: Int64) {
        var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
        nanosleep(&time, nil)
    }
}

extension ProbePhase {
    /// Whether a copy may come after the last packet.
    fileprivate var waitsForCopies: Bool { kind == .light }
}
