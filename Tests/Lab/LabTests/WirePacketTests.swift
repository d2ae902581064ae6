// SPDX-License-Identifier: Apache-2.0

import Foundation
import Statistics
import TestKit
import Testing

extension LabTests {
    /// Conditions apply to each packet on the wire, even if the hosts exchange super-packets.
    @Suite struct WirePackets {
        private static let megabytes = 8

        /// Sends over TCP from one namespace to the other, and gives what the lane's netem has counted.
        private func counters(
            _ hosts: Hosts,
            from sender: String,
            to receiver: String,
            address: String,
            lane: String
        ) throws -> (packets: Int, bytes: Int, drops: Int) {
            let count = Self.megabytes << 20
            let received = try TCPTransfer.run(from: sender, to: receiver, address: address, count: count)
            #expect(received == count)
            let shown = try Shell.check("tc -n \(hosts.near) -s qdisc show dev lc2r1\(lane)")
            let netem = shown.components(separatedBy: "qdisc netem").last ?? ""
            let numbers = try netem.firstNumbers(#"Sent (\d+) bytes (\d+) pkt \(dropped (\d+)"#).map { Int($0) }
            try #require(numbers.count == 3)
            return (numbers[1], numbers[0], numbers[2])
        }

        @Test(arguments: ["u", "d"])
        func lossOfOnePercentAppliesToWirePackets(_ lane: String) throws {
            let hosts = try Hosts()
            let before = try Shell.check("ip netns exec \(hosts.near) ethtool -k \(hosts.interface)")
            try hosts.apply("", "--uplink \"loss=1 %\" --downlink \"loss=1 %\"")
            let (sender, receiver, address) =
                lane == "u"
                ? (hosts.near, hosts.far, Hosts.farAddress.v4) : (hosts.far, hosts.near, Hosts.nearAddress.v4)
            let counted = try counters(hosts, from: sender, to: receiver, address: address, lane: lane)
            #expect(counted.bytes / counted.packets <= 1514)
            let bounds = CountDistribution.binomial(trials: counted.packets + counted.drops, probability: 0.01)
                .bounds(error: 1e-6)
            #expect(bounds.contains(counted.drops))
            // The sender keeps its offloads.
            #expect(try Shell.check("ip netns exec \(hosts.near) ethtool -k \(hosts.interface)") == before)
            #expect(before.contains("tcp-segmentation-offload: on"))
        }

        /// How often a datagram arrived right after a later one; the length of each is its sequence number.
        private func inversions(_ jitter: String) throws -> Int {
            let hosts = try Hosts()
            let profile = """
                {"name": "j", "uplink": {"delay": "30 ms", "jitter": \(jitter)}}
                """
            try Shell.check("echo '\(profile)' | \(Shell.linkcond) apply - -i \(hosts.interface) --netns \(hosts.near)")
            let sink = try UDPSocket(in: hosts.far, ipv6: false, port: 7001)
            let source = try UDPSocket(in: hosts.near, ipv6: false, port: 0)
            var sizes: [Int] = []
            for number in 1...300 {
                source.send(number, to: Hosts.farAddress.v4, 7001)
                if let size = sink.receive(within: 0.002) { sizes.append(size) }
            }
            while sizes.count < 300, let size = sink.receive(within: 1) { sizes.append(size) }
            #expect(sizes.count == 300)
            return zip(sizes, sizes.dropFirst()).count { $0 > $1 }
        }

        @Test(arguments: ["uniform", "normal", "pareto", "paretonormal"])
        func keepTheirOrderUnderJitterByDefault(_ distribution: String) throws {
            let shape = #""amount": "15 ms", "distribution": "\#(distribution)""#
            #expect(try inversions("{\(shape)}") == 0)
            #expect(try inversions("{\(shape), \"ordered\": false}") > 10)
        }
    }
}
