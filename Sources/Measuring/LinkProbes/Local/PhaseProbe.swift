// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
package import LinkVerification

/// Sends the packets of a phase between a client and a server, and records when each was sent and when it arrived.
///
/// Uplink packets go to the phase's port, and open the flow; downlink packets are replies in that flow. Times are
/// nanoseconds of the wall clock: sending times are read before the system call, arrival times come from the kernel.
package struct PhaseProbe {
    private let phase: ProbePhase
    private let server: ProbeServer
    /// The client's socket; nil for a phase of TCP connections.
    private let client: ConnectedSocket?

    /// How long a server in another network waits for the client's first packet, in nanoseconds.
    private static let clientTimeout: Int64 = 5_000_000_000

    /// Makes the client, and a server on loopback unless `outside` is given. The two sockets are connected here, before
    /// conditions take effect: the server knows the client's address even if the phase's first packets are lost.
    package init(_ phase: ProbePhase, _ outside: ProbeServer? = nil) throws(ProbeError) {
        self.phase = phase
        if let outside { server = outside } else { server = try ProbeServer(phase, on: .loopback) }
        guard let datagrams = server.datagrams else {
            client = nil
            return
        }
        let client = try ConnectedSocket(phase, at: server.clientAddress(phase))
        try client.connect(to: server.address.value)
        if server.host == .loopback {
            try datagrams.connect(to: try client.ownAddress())
        } else {
            try Self.introduce(client, to: datagrams)
        }
        self.client = client
    }

    private static func introduce(_ client: ConnectedSocket, to server: ConnectedSocket) throws(ProbeError) {
        let end = lc_monotonic_time() + clientTimeout
        // A packet number that no flow uses.
        let greeting = [UInt8](repeating: 0xFF, count: 24)
        while lc_monotonic_time() < end {
            try client.send(greeting[...])
            for _ in 0..<20 {
                if let sender = server.nextSender() { return try server.connect(to: sender) }
                pause(5_000_000)
            }
        }
        throw ProbeError("no packet comes through the uplink")
    }

    /// Sends the phase's packets and waits for them.
    ///
    /// - Parameter conditions: when the conditions took effect, in nanoseconds of the wall clock; nil if that does not
    ///   matter.
    package func run(conditions: Int64? = nil) throws(ProbeError) -> PhaseRecord {
        // With the default timer slack, a late packet would leave in a burst with the next ones.
        _ = lc_prctl(PR_SET_TIMERSLACK, 1)
        guard let client, let server = server.datagrams else {
            var record = PhaseRecord(start: conditions)
            if phase.kind == .tcp {
                record.roundTrips = try ConnectionProbe.run(phase.connections, phase.arrivalTimeout, to: server)
            }
            for (direction, time) in phase.transfers {
                record.received[direction] = try TransferProbe.run(direction, time, to: server)
            }
            return record
        }
        let start = lc_wall_time() + 1_000_000
        var flows: [(direction: Direction, flow: ProbeFlow)] = []
        if let traffic = phase.flows[.uplink] {
            flows.append(
                (.uplink, try ProbeFlow(traffic, isIPv6: phase.isIPv6, from: client, to: server, start: start))
            )
        } else if self.server.host == .loopback {
            // The first packet of a flow shows which side opened it, so it has to come from the client.
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
                if now - last > phase.arrivalTimeout.nanoseconds { break }
            }
            if next > now { Self.pause(min(next - now, 20_000_000)) }
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
    /// Whether to wait for duplicates after every packet has arrived.
    fileprivate var waitsForCopies: Bool { kind == .light }
}
