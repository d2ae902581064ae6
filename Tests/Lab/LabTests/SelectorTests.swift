// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// Rules that select part of an interface's traffic.
    @Suite struct Selectors {
        /// Whether a datagram comes; one that does is waited for, however busy the machine is.
        private func delivers(_ hosts: Hosts, _ port: UInt16, _ address: String = Hosts.farAddress.v4) throws -> Bool {
            try comes(hosts, port, address, within: UDPSocket.timeout)
        }

        private func loses(_ hosts: Hosts, _ port: UInt16, _ address: String = Hosts.farAddress.v4) throws -> Bool {
            try !comes(hosts, port, address, within: 0.3)
        }

        private func comes(
            _ hosts: Hosts,
            _ port: UInt16,
            _ address: String,
            within limit: Double
        ) throws -> Bool {
            let sink = try UDPSocket(in: hosts.far, ipv6: address.contains(":"), port: port)
            let source = try UDPSocket(in: hosts.near, ipv6: address.contains(":"), port: 0)
            source.send(100, to: address, port)
            return sink.receive(within: limit) != nil
        }

        private func answersPing(_ hosts: Hosts, _ address: String) throws -> Bool {
            try Ping(from: hosts.near, to: address, count: 2, interval: 0.1, wait: 2).received > 0
        }

        @Test func conditionOnlyTheirPort() throws {
            let hosts = try Hosts()
            try hosts.apply("100% Loss", "--port 7001 --port 7003")
            #expect(try loses(hosts, 7001))
            #expect(try loses(hosts, 7003, Hosts.farAddress.v6))
            #expect(try delivers(hosts, 7002))
            #expect(try answersPing(hosts, Hosts.farAddress.v4))
        }

        @Test func conditionOnlyTheirRemote() throws {
            let hosts = try Hosts()
            try hosts.apply("100% Loss", "--to 10.77.0.0/30")
            #expect(try !answersPing(hosts, Hosts.farAddress.v4))
            #expect(try answersPing(hosts, Hosts.farAddress.v6))
        }

        @Test func conditionOnlyTheirProtocolButNotExclusions() throws {
            let hosts = try Hosts()
            try hosts.apply("100% Loss", "--protocol udp --exclude \"port 7002\"")
            #expect(try loses(hosts, 7001))
            #expect(try delivers(hosts, 7002))
            #expect(try answersPing(hosts, Hosts.farAddress.v4))
        }

        @Test(arguments: [false, true]) func mostSpecificRuleHasAPacket(isLast: Bool) throws {
            let hosts = try Hosts()
            if isLast { try hosts.apply("Wi-Fi", "--port 7001") }
            try hosts.apply("100% Loss")
            if !isLast { try hosts.apply("Wi-Fi", "--port 7001") }
            for address in [Hosts.farAddress.v4, Hosts.farAddress.v6] {
                #expect(try delivers(hosts, 7001, address))
                #expect(try loses(hosts, 7002, address))
            }
            // The same selectors replace.
            try hosts.apply("100% Loss", "--port 7001")
            #expect(try loses(hosts, 7001))
            let lines = try hosts.linkcond("status").lines.filter { $0.contains("(rule ") }
            #expect(lines.first?.contains("traffic on port 7001") == true && lines.count == 2, "\(lines)")
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try delivers(hosts, 7001))
        }

        /// Each new rule goes before the others, until there is no room there.
        @Test func loseNothingWhileTheyMove() throws {
            let hosts = try Hosts()
            try hosts.apply("Wi-Fi")
            func places() throws -> [Substring] {
                let filters = try hosts.onNear("tc filter show dev \(hosts.interface) egress").output
                return filters.split(separator: "\n").compactMap {
                    $0.split(separator: " ").drop { $0 != "pref" }.dropFirst().first
                }
            }
            let before = try #require(try places().first)
            let output = "/tmp/moving-\(hosts.near)"
            defer { _ = try? Shell.run("rm -f \(output)") }
            let ping = try Shell.check(
                "ip netns exec \(hosts.near) ping -n -q -i 0.02 -w 600 \(Hosts.farAddress.v4) >\(output) 2>&1 & echo $!"
            )
            for port in 1...14 { try hosts.apply("LTE", "--port \(port)") }
            try Shell.check("kill -INT \(ping.filter(\.isNumber)); sleep 1")
            let figures = try Shell.check("cat \(output)").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            #expect(figures.count >= 2 && figures[0] > 50 && figures[0] - figures[1] <= 1, "\(figures)")
            #expect(try !places().contains(before), "no filter has moved")
        }
    }
}
