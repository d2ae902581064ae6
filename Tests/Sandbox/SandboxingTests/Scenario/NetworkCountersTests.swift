// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Sandboxing

@Suite struct NetworkCountersTests {
    private let netstat = """
        TcpExt: SyncookiesSent InOctets
        TcpExt: 1 2
        IpExt: InNoRoutes InOctets OutOctets
        IpExt: 0 5000 7000
        """
    private let snmp6 = "Ip6InReceives                   \t3\nIp6InOctets                     \t400\n"
    private let snmp = "Ip: Forwarding\nIp: 1\nTcp: RtoMin ActiveOpens\nTcp: 200 6\n"
    private let devices = """
        Inter-|   Receive                                                |  Transmit
            lo:    1 1 0 0 0 0 0 0      9 9 0 0 0 0 0 0
        uplink0:    1 1 0 0 0 0 0 0      30 9 0 0 0 0 0 0
        """

    @Test func addsWhatArrivesAndWhatLeaves() {
        let counters = NetworkCounters(ipv4: netstat, ipv6: snmp6, tcp: snmp, devices: devices, uplinks: ["uplink0"])
        #expect(counters.carried.bytes == 5430)
        #expect(counters.connections == 6)
        let two = NetworkCounters(ipv4: netstat, ipv6: snmp6, tcp: snmp, devices: devices, uplinks: ["uplink0", "lo"])
        #expect(two.carried.bytes == 5439)
        let offline = NetworkCounters(ipv4: netstat, ipv6: snmp6, tcp: snmp, devices: "", uplinks: [])
        #expect(offline.carried.bytes == 5400)
    }

    @Test func countsNothingWithoutTheFiles() {
        let counters = NetworkCounters(
            ipv4: "",
            ipv6: "Ip6InOctets",
            tcp: "Tcp: ActiveOpens",
            devices: "",
            uplinks: ["x"]
        )
        #expect(counters.carried.bytes == 0)
        #expect(counters.connections == 0)
    }

    @Test func readsThisNetwork() {
        // Every test machine has used its loopback.
        #expect(NetworkCounters.current(uplinks: []).carried.bytes > 0)
    }
}
