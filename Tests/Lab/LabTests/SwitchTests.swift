// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// Changing conditions in place.
    @Suite struct Switch {
        @Test func freesTheUplinkFromSlowNetToBlackHole() throws {
            let hosts = try Hosts()
            try hosts.apply("Slow Net")
            #expect(try hosts.linkcond("switch 'black hole'").status == 0)
            try Flow.expectFree(from: hosts.near, to: hosts.far, address: Hosts.farAddress.v4, count: 200)
            let ping = try Ping(from: hosts.near, to: Hosts.farAddress.v4, count: 5, interval: 0.1, wait: 1)
            #expect(ping.received == 0)
        }

        /// Packets already accepted are delivered at their time, and those sent afterwards do not queue behind them.
        @Test func losesNothingAndLetsNewPacketsOvertake() throws {
            // A busy machine may need longer for a switch than the packets for the old link: then on a longer one.
            for seconds in [2, 8, 30] where try isSwitchedInTime(seconds) { return }
            try endInconclusively("no switch in 30 s")
        }

        /// Tries it on a link that delays by so many seconds; false if all packets came before the switch had ended.
        private func isSwitchedInTime(_ seconds: Int) throws -> Bool {
            let hosts = try Hosts()
            try hosts.apply("", "--uplink 'rate=780 kbit/s, delay=\(seconds) s'")
            let sink = try UDPSocket(in: hosts.far, ipv6: false, port: 7001)
            let source = try UDPSocket(in: hosts.near, ipv6: false, port: 0)
            for _ in 0..<4 { source.send(1400, to: Hosts.farAddress.v4, 7001) }
            let switching = try RunningCommand(shell: "\(Shell.linkcond) switch Wi-Fi --netns \(hosts.near)")
            var arrivals: [Int] = []
            var probes = 0
            var isInTime = false
            let haveCome = HangLimit.waits {
                if arrivals.isEmpty, !switching.isRunning { isInTime = true }
                probes += 1
                source.send(100, to: Hosts.farAddress.v4, 7001)
                if let size = sink.receive(within: 0.05) { arrivals.append(size) }
                return arrivals.count(where: { $0 == 1400 }) == 4
            }
            #expect(switching.wait() == 0)
            #expect(haveCome, "\(arrivals)")
            guard isInTime || arrivals.first == 100 else { return false }
            #expect(arrivals.first == 100, "a small packet on the new link comes before the large ones on the old")
            while arrivals.count < probes + 4, let size = sink.receive(within: UDPSocket.timeout) {
                arrivals.append(size)
            }
            #expect(arrivals.count == probes + 4 && sink.receive(within: 0.2) == nil)
            return true
        }

        @Test func losesNoPingWhileSwitchingTwentyTimes() throws {
            let hosts = try Hosts()
            try hosts.apply("Wi-Fi")
            let pinging = try RunningCommand(
                shell:
                    "ip netns exec \(hosts.near) ping -q -n -i 0.01 -w 600 -c 700 \(Hosts.farAddress.v4)"
            )
            for round in 0..<20 {
                let profile = round % 2 == 0 ? "LTE" : "Wi-Fi"
                let switching = try hosts.linkcond("switch '\(profile)'")
                #expect(switching.status == 0 && !switching.errors.contains("still held"), "\(switching)")
            }
            let ping = pinging.waitForOutput()
            #expect(ping.contains("700 packets transmitted, 700 received"), "\(ping)")
        }

        @Test func requiresSelectorsIfSeveralRulesExist() throws {
            let hosts = try Hosts()
            #expect(try hosts.linkcond("switch Wi-Fi").status == 64)
            try hosts.apply("Slow Net", "--port 80")
            try hosts.apply("LTE", "--port 81")
            let ambiguous = try hosts.linkcond("switch Wi-Fi")
            #expect(
                ambiguous.status == 64 && ambiguous.errors.contains("port 80") && ambiguous.errors.contains("port 81")
            )
            #expect(try hosts.linkcond("switch Wi-Fi --port 81").status == 0)
            let status = try hosts.linkcond("status").output
            #expect(status.contains("Slow Net") && status.contains("Wi-Fi") && !status.contains("LTE"))
        }
    }
}
