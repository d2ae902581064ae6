// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// Conditions of the near host's interface that describe the far host's link.
    @Suite struct FacingThePeer {
        /// Sends three datagrams between the hosts, one after the other, and gives what the fastest took, since other
        /// programs may have the processor meanwhile; nil if one was lost.
        private func time(
            _ hosts: Hosts,
            fromFar: Bool,
            _ port: UInt16,
            ipv6: Bool = false,
            within limit: Double = UDPSocket.timeout
        ) throws -> Double? {
            let target = fromFar ? Hosts.nearAddress : Hosts.farAddress
            let sink = try UDPSocket(in: fromFar ? hosts.near : hosts.far, ipv6: ipv6, port: port)
            let source = try UDPSocket(in: fromFar ? hosts.far : hosts.near, ipv6: ipv6, port: 0)
            // The first waits for neighbour discovery.
            source.send(100, to: ipv6 ? target.v6 : target.v4, port)
            _ = sink.receive(within: limit)
            var fastest = limit
            for _ in 0..<3 {
                let start = now()
                source.send(100, to: ipv6 ? target.v6 : target.v4, port)
                guard sink.receive(within: limit) != nil else { return nil }
                fastest = min(fastest, now() - start)
            }
            return fastest
        }

        @Test(arguments: [false, true]) func delaysWhatThePeerSendsByItsUplink(ipv6: Bool) throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let profile = "--uplink 'delay=200 ms' --downlink 'delay=50 ms' --dns 'delay=300 ms'"
            try hosts.apply("", "\(profile) --facing peer --engine netem")
            for (fromFar, port, delay) in [
                (true, UInt16(7001), 0.2), (false, 7001, 0.05), (true, 53, 0.5), (false, 53, 0.05),
            ] {
                try Measurements.settle(stillness: 10) {
                    let time = try #require(try time(hosts, fromFar: fromFar, port, ipv6: ipv6))
                    return try Measurements.fault("\(fromFar) \(port)", time, in: delay - 0.005...delay + 0.04)
                }
            }
            #expect(try hosts.linkcond("status").output.contains("(rule 1, facing the peer, netem,"))
            // The way it faces is the rule's.
            let switched = try hosts.linkcond("switch --uplink 'loss=100 %'")
            #expect(switched.status == 0, "\(switched)")
            #expect(try time(hosts, fromFar: true, 7001, ipv6: ipv6, within: 0.5) == nil)
            #expect(try time(hosts, fromFar: false, 7001, ipv6: ipv6) != nil)
            #expect(try hosts.linkcond("off").status == 0 && hosts.linkcond("on").status == 0)
            #expect(try hosts.linkcond("status --json").output.contains(#""facing": "peer""#))
            #expect(try time(hosts, fromFar: true, 7001, ipv6: ipv6, within: 0.5) == nil)
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before)
        }

        @Test func selectsThePeersRemoteEnds() throws {
            let hosts = try Hosts()
            try hosts.apply("100% Loss", "--to \(Hosts.nearAddress.v4) --facing peer --engine netem")
            #expect(try time(hosts, fromFar: true, 7001, within: 0.5) == nil)
            #expect(try time(hosts, fromFar: true, 7001, ipv6: true) != nil)
            try hosts.apply("100% Loss", "--to \(Hosts.farAddress.v6) --facing peer --engine netem")
            #expect(try time(hosts, fromFar: true, 7001, ipv6: true) != nil)
        }

        /// The same traffic facing the other way replaces the rule.
        @Test func turnsRound() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            for (facing, isLost) in [("host", false), ("peer", true), ("host", false)] {
                try hosts.apply("", "--uplink 'loss=100 %' --facing \(facing) --engine netem")
                #expect(try (time(hosts, fromFar: true, 7001, within: 0.5) == nil) == isLost)
                #expect(try (time(hosts, fromFar: false, 7001, within: 0.5) == nil) == !isLost)
            }
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before)
        }
    }
}
