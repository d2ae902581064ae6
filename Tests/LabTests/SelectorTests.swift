// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// Rules that select part of an interface's traffic.
    @Suite struct Selectors {
        private func delivers(_ hosts: Hosts, _ port: UInt16, _ address: String = Hosts.farAddress.v4) throws -> Bool {
            let sink = try UDPSocket(in: hosts.far, ipv6: address.contains(":"), port: port)
            let source = try UDPSocket(in: hosts.near, ipv6: address.contains(":"), port: 0)
            source.send(100, to: address, port)
            return sink.receive(within: 0.3) != nil
        }

        private func answersPing(_ hosts: Hosts, _ address: String) throws -> Bool {
            try Ping(from: hosts.near, to: address, count: 2, interval: 0.1, wait: 1).received > 0
        }

        @Test func conditionOnlyTheirPort() throws {
            let hosts = try Hosts()
            try hosts.apply("100% Loss", "--port 7001 --port 7003")
            #expect(try !delivers(hosts, 7001))
            #expect(try !delivers(hosts, 7003, Hosts.farAddress.v6))
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
            #expect(try !delivers(hosts, 7001))
            #expect(try delivers(hosts, 7002))
            #expect(try answersPing(hosts, Hosts.farAddress.v4))
        }

        @Test func latestOfOverlappingRulesWins() throws {
            let hosts = try Hosts()
            try hosts.apply("100% Loss")
            #expect(try !delivers(hosts, 7001))
            try hosts.apply("Wi-Fi", "--port 7001")
            #expect(try delivers(hosts, 7001))
            #expect(try !delivers(hosts, 7002))
            // The same selectors replace.
            try hosts.apply("100% Loss", "--port 7001")
            #expect(try !delivers(hosts, 7001))
            #expect(try hosts.linkcond("status").output.contains("rule 2, traffic port 7001"))
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try delivers(hosts, 7001))
        }
    }
}
