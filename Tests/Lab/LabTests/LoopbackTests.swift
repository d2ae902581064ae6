// SPDX-License-Identifier: Apache-2.0

import Statistics
import TestKit
import Testing

extension LabTests {
    /// Profiles that are equal in both directions, on loopback.
    @Suite struct Loopback {
        private func apply(_ profile: String, on host: LoneHost) throws -> CommandResult {
            try Shell.linkcond("apply '\(profile)' -i lo --netns \(host.name)")
        }

        private static let addresses = ["127.0.0.1", "::1"]

        /// Runs `measure` for each address at the same time, each on its own host with the profile.
        private func measure<Value>(
            _ profile: String,
            _ measure: @escaping (LoneHost, String) throws -> Value
        ) throws -> [(address: String, value: Value)] {
            let values = try sideBySide(Self.addresses) { address in
                let host = try LoneHost()
                let applied = try self.apply(profile, on: host)
                return (applied.status, try measure(host, address))
            }
            for (status, _) in values { #expect(status == 0) }
            return zip(Self.addresses, values).map { ($0, $1.1) }
        }

        @Test func slowNetDelaysPing() throws {
            try Measurements.settle {
                let pings = try measure("Slow Net") { host, address in
                    (
                        small: try Ping(from: host.name, to: address, count: 8, interval: 0.1),
                        large: try Ping(from: host.name, to: address, count: 4, interval: 0.5, payload: 1400)
                    )
                }
                let faults = try pings.flatMap { address, ping in
                    let header = address.contains(":") ? 62.0 : 42.0
                    let (small, large) = (2 * (100 + (56 + header) / 4), 2 * (100 + (1400 + header) / 4))
                    return [
                        try ping.small.fault(address, small - 3...small + 3),
                        try ping.large.fault(address, large - 5...large + 5),
                    ]
                }
                return faults.compactMap { $0 }.first
            }
        }

        @Test func slowNetDelaysQueriesToPort53() throws {
            try Measurements.settle {
                let measured = try measure("Slow Net") { host, address in
                    try [53, 5300].map {
                        try Flow.roundTrip(from: host.name, to: host.name, address: address, port: $0)
                    }
                }
                for (_, times) in measured where abs(try #require(times[0]) - (try #require(times[1])) - 200) > 3 {
                    return "\(times)"
                }
                return nil
            }
        }

        @Test func slowNetCarriesItsRate() throws {
            try Measurements.settle {
                let shares = try measure("Slow Net") { host, address in
                    try Flow.shareOfSlowNet(from: host.name, to: host.name, address: address)
                }
                return try Flow.fault(shares.map(\.value))
            }
        }

        @Test func nastyNetAnswersOneEchoInAHundred() throws {
            let pings = try measure("Nasty Net") { host, address in
                try Ping.counts(from: host.name, to: address)
            }
            for (address, ping) in pings {
                let bounds = CountDistribution.binomial(trials: ping.sent, probability: 0.01).bounds(error: 1e-6)
                #expect(bounds.contains(ping.received), "\(address)")
            }
        }

        @Test func refusesProfilesThatDifferByDirection() throws {
            let host = try LoneHost()
            let result = try Shell.linkcond("apply 'Black Hole' -i lo --engine netem --netns \(host.name)")
            #expect(result.status == 69)
            #expect(result.errors.contains("differ"))
            #expect(!(try Shell.check("tc -n \(host.name) qdisc show")).contains("clsact"))
        }

        @Test func lowersTheMTUForARateAndRestoresIt() throws {
            let host = try LoneHost()
            let applied = try apply("Slow Net", on: host)
            #expect(applied.errors.contains("MTU"))
            #expect(try Shell.check("ip -n \(host.name) link show lo").contains("mtu 1500"))
            #expect(try Shell.linkcond("switch '100% loss' --netns \(host.name)").status == 0)
            #expect(try Shell.check("ip -n \(host.name) link show lo").contains("mtu 65536"))
            #expect(try Shell.linkcond("switch 'Slow Net' --netns \(host.name)").status == 0)
            #expect(try Shell.linkcond("reset --now --netns \(host.name)").status == 0)
            #expect(try Shell.check("ip -n \(host.name) link show lo").contains("mtu 65536"))
        }
    }
}
