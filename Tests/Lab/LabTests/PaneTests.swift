// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkConditioning
import LinkPane
import LinkProfiles
import LinuxSystem
import Netlink
import TestKit
import Testing

extension LabTests {
    /// The pane's figures, on the kernel's counters.
    @Suite struct Pane {
        private struct Verdict {
            var rate: String?
            var asked: Double?
        }

        /// Sends more than the link carries for a while, and samples the uplink; returns the last verdict.
        private func fill(_ hosts: Hosts, _ sampler: LiveSampler, for time: Duration) throws -> Verdict {
            let source = try UDPSocket(in: hosts.near, ipv6: false, port: 0)
            let end = BootClock.now + time
            var next = BootClock.now
            while BootClock.now < end {
                // 22 Mbit/s.
                for _ in 0..<20 { source.send(1_400, to: Hosts.farAddress.v4, 7_001) }
                usleep(10_000)
                guard BootClock.now >= next else { continue }
                next = BootClock.now + .milliseconds(100)
                sampler.sample(at: BootClock.now)
            }
            let text = try sampler.lanes(interface: hosts.interface, rule: 1).map { try JSON(utf8: $0.utf8) }
            guard case .array(let lanes)? = text?.value,
                let uplink = lanes.first(where: { $0["lane"].flatMap { String(json: $0) } == "uplink" })
            else { throw TestFailure("no lane") }
            var asked: Double?
            if case .number(let text)? = uplink["asked"]?["rate"]?.value { asked = Double(text) }
            return Verdict(
                rate: uplink["verdict"]?["rate"].flatMap { String(json: $0) },
                asked: asked
            )
        }

        @Test func showsWithinFiveSecondsThatTcHasHalvedARate() throws {
            let hosts = try Hosts()
            try hosts.apply("", "--uplink 'rate=10 Mbit/s' --engine netem")
            let sink = try UDPSocket(in: hosts.far, ipv6: false, port: 7_001)
            defer { withExtendedLifetime(sink) {} }
            nonisolated(unsafe) var outcome: Result<(before: Verdict, after: Verdict), any Error>?
            // A thread of its own, which stays in the namespace.
            let thread = try PosixThread.start {
                outcome = Result {
                    let conditioner = try InterfaceConditioner(in: .named(hosts.near), command: "pane")
                    let sampler = LiveSampler(pumps: nil, kernel: try .current())
                    sampler.use(try conditioner.status())
                    let before = try fill(hosts, sampler, for: .seconds(4))
                    let found = try Shell.check("ip -n \(hosts.near) -o link | grep -o 'lc[0-9]*r1u' | head -1")
                    let device = found.filter { !$0.isWhitespace }
                    try Shell.check(
                        """
                        set -- $(tc -n \(hosts.near) qdisc show dev \(device) | grep netem)
                        test "$4" = root && place=root || place="parent $5"
                        tc -n \(hosts.near) qdisc change dev \(device) $place handle $3 netem limit 1000 rate 5mbit
                        """
                    )
                    // The pane reads the state again: the kernel has other figures now, the journal the asked ones.
                    sampler.use(try conditioner.status())
                    return (before, try fill(hosts, sampler, for: .seconds(5)))
                }
            }
            thread.join()
            let (before, after) = try #require(outcome).get()
            #expect(before.rate == "as asked" && before.asked == 10_000_000)
            #expect(after.rate == "below" && after.asked == 10_000_000)
        }
    }
}
