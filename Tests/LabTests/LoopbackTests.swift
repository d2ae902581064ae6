// SPDX-License-Identifier: Apache-2.0

import TestStatistics
import Testing

extension LabTests {
    /// Profiles that are alike in both directions, on loopback.
    @Suite struct Loopback {
        private func apply(_ profile: String, on host: LoneHost) throws -> CommandResult {
            try Shell.linkcond("apply '\(profile)' -i lo --netns \(host.name)")
        }

        @Test(arguments: ["127.0.0.1", "::1"])
        func slowNetDelaysPing(_ address: String) throws {
            let host = try LoneHost()
            #expect(try apply("Slow Net", on: host).status == 0)
            let header = address.contains(":") ? 62.0 : 42.0
            let small = try #require(try Ping(from: host.name, to: address, count: 9, interval: 0.3).median)
            #expect(abs(small - 2 * (100 + (56 + header) / 4)) <= 3)
            let large = try Ping(from: host.name, to: address, count: 5, interval: 1, payload: 1400)
            #expect(abs(try #require(large.median) - 2 * (100 + (1400 + header) / 4)) <= 5)
        }

        @Test(arguments: ["127.0.0.1", "::1"])
        func slowNetDelaysQueriesToPort53(_ address: String) throws {
            let host = try LoneHost()
            #expect(try apply("Slow Net", on: host).status == 0)
            let query = try #require(try Flow.roundTrip(from: host.name, to: host.name, address: address, port: 53))
            let other = try #require(try Flow.roundTrip(from: host.name, to: host.name, address: address, port: 5300))
            #expect(abs(query - other - 200) <= 3)
        }

        @Test(arguments: ["127.0.0.1", "::1"])
        func slowNetCarriesItsRate(_ address: String) throws {
            let host = try LoneHost()
            #expect(try apply("Slow Net", on: host).status == 0)
            let share = try #require(try Flow.shareOfSlowNet(from: host.name, to: host.name, address: address))
            #expect(abs(share - 1) <= 0.01)
        }

        @Test(arguments: ["127.0.0.1", "::1"])
        func nastyNetAnswersOneEchoInAHundred(_ address: String) throws {
            let host = try LoneHost()
            #expect(try apply("Nasty Net", on: host).status == 0)
            let ping = try Ping(from: host.name, to: address, count: 2500, interval: 0.005)
            #expect(
                CountDistribution.binomial(trials: ping.sent, probability: 0.01).bounds(error: 1e-6).contains(
                    ping.received
                )
            )
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
