// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Netlink
import TestKit
import Testing

extension LabTests {
    /// Changing the conditions of a network that ends with its processes.
    @Suite struct SandboxSwitch {
        /// Conditions without loss for every arrangement of qdiscs: netem alone; behind a policer; and behind a policer with
        /// a netem of its own ahead of it.
        private static let profiles = [
            ("delay", #"{"delay": "30 ms"}"#), ("rate", #"{"delay": "20 ms", "rate": "10 Mbit/s"}"#),
            ("path", #"{"delay": "20 ms", "rate": "2 Mbit/s", "jitter": {"amount": "5 ms", "ordered": true}}"#),
        ].map { #"{"name": "\#($0)", "uplink": \#($1), "downlink": \#($1)}"# }

        @Test(arguments: Caller.allCases) func losesNoPing(_ caller: Caller) throws {
            let folder = try TemporaryDirectory()
            for (number, profile) in Self.profiles.enumerated() { try folder.write("\(number).json", profile) }
            let switches = (0..<9).map { "\(Shell.linkcond) switch \(folder.path)/\($0 % 3).json" }
            let pinging = "ping -q -n -i 0.01 -W 60 -c 500 127.0.0.1"
            let inside = "\(pinging) & \(switches.joined(separator: " && ")) || exit 1; wait $!"
            let output = try caller.check("--offline --engine netem Wi-Fi -- sh -c \(Shell.quoted(inside))")
            #expect(output.contains("500 packets transmitted, 500 received"), "\(output)")
        }

        @Test func replacesLanesBetweenTwoPackets() throws {
            let hosts = try Hosts()
            let pinging = try RunningCommand(
                shell: "ip netns exec \(hosts.near) ping -q -n -i 0.003 -w 600 -c 1500 \(Hosts.farAddress.v4)"
            )
            let links = (0..<20).map { round -> Impairments in
                var link = Impairments()
                link.rate = BitRate(bitsPerSecond: round % 4 < 2 ? 100_000_000 : 50_000_000)
                // Gives the path a netem of its own, and loses nothing.
                if round % 2 == 1 { link.loss = .random(Probability(fraction: 1e-9)) }
                return link
            }
            let reports = try PrivateNetwork.run(in: "/run/netns/\(hosts.near)") {
                let conditioner = EphemeralConditioner(RouteConnection(try RouteSocket()))
                return try links.map { link in
                    var profile = Profile(name: "Round")
                    (profile.uplink, profile.downlink) = (link, link)
                    let request = RuleRequest(profile: profile, engine: .netem)
                    let plans = try conditioner.plan(request, on: [hosts.interface])
                    for old in try conditioner.apply(request, as: plans, on: [hosts.interface]) { _ = try old.finish() }
                    return try conditioner.status()
                }
            }
            for (link, report) in zip(links, reports) {
                let lanes = report.devices.flatMap(\.rules).flatMap(\.lanes)
                #expect(lanes.count == 2 && lanes.allSatisfy { $0.conditions?.rate == link.rate }, "\(lanes)")
                #expect(report.devices.flatMap(\.leftovers).isEmpty && report.leftovers.isEmpty)
            }
            let ping = pinging.waitForOutput()
            #expect(ping.contains("1500 packets transmitted, 1500 received"), "\(ping)")
        }

        /// Where the second interface fails, the first one has what it had: nothing, or the conditions before.
        @Test(arguments: [false, true])
        func changesAllInterfacesOrNone(hasBefore: Bool) throws {
            let hosts = try Hosts()
            let inNear = "ip -n \(hosts.near) link"
            let report = try PrivateNetwork.run(in: "/run/netns/\(hosts.near)") {
                let conditioner = EphemeralConditioner(RouteConnection(try RouteSocket()))
                let interfaces = [hosts.interface, "second"]
                func request(_ rate: UInt64) -> RuleRequest {
                    var profile = Profile(name: "\(rate)")
                    profile.uplink = Impairments()
                    profile.uplink?.rate = BitRate(bitsPerSecond: rate)
                    return RuleRequest(profile: profile, engine: .netem)
                }
                try Shell.check("\(inNear) add second type dummy && \(inNear) set second up")
                let before = hasBefore ? request(1_000_000) : nil
                if let before {
                    let plans = try conditioner.plan(before, on: interfaces)
                    for old in try conditioner.apply(before, as: plans, on: interfaces) { _ = try old.finish() }
                }
                let after = request(2_000_000)
                let plans = try conditioner.plan(after, on: interfaces)
                try Shell.check("\(inNear) delete second")
                #expect(throws: ConditioningError.self) {
                    try conditioner.apply(after, as: plans, on: interfaces, replacing: before)
                }
                return try conditioner.status()
            }
            #expect(report.devices.flatMap(\.rules).map(\.profile) == (hasBefore ? ["1000000"] : []), "\(report)")
            // What the second one's rule had is left by whoever deleted it.
            #expect(report.devices.flatMap(\.leftovers).isEmpty)
        }
    }
}
