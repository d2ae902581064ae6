// SPDX-License-Identifier: Apache-2.0

import TestStatistics
import Testing

extension LabTests {
    /// The three profiles that gave the project its name, between two hosts, both directions and both IP versions.
    @Suite struct FoundingProfiles {
        private static let addresses = [Hosts.farAddress.v4, Hosts.farAddress.v6]

        /// Milliseconds for a round trip of frames of `bytes` bytes through 32 kbit/s and 100 ms each way.
        private static func slowNetRoundTrip(_ bytes: Int) -> Double {
            2 * (100 + Double(bytes) * 8 / 32)
        }

        @Test(arguments: addresses)
        func slowNetDelaysByItsDelayAndRate(_ address: String) throws {
            let hosts = try Hosts()
            try hosts.apply("Slow Net")
            let header = address.contains(":") ? 62 : 42
            let small = try #require(try Ping(from: hosts.near, to: address, count: 9, interval: 0.3).median)
            #expect(abs(small - Self.slowNetRoundTrip(56 + header)) <= 3)
            let large = try Ping(from: hosts.near, to: address, count: 5, interval: 1, payload: 1400)
            #expect(abs(try #require(large.median) - Self.slowNetRoundTrip(1400 + header)) <= 5)
        }

        @Test(arguments: addresses)
        func slowNetDelaysQueriesToPort53By200MillisecondsMore(_ address: String) throws {
            let hosts = try Hosts()
            try hosts.apply("Slow Net")
            let query = try #require(try Flow.roundTrip(from: hosts.near, to: hosts.far, address: address, port: 53))
            let other = try #require(try Flow.roundTrip(from: hosts.near, to: hosts.far, address: address, port: 5300))
            #expect(abs(query - other - 200) <= 3)
        }

        @Test(arguments: addresses)
        func slowNetCarriesItsRateUp(_ address: String) throws {
            let hosts = try Hosts()
            try hosts.apply("Slow Net")
            let share = try #require(try Flow.shareOfSlowNet(from: hosts.near, to: hosts.far, address: address))
            #expect(abs(share - 1) <= 0.01)
        }

        @Test(arguments: [Hosts.nearAddress.v4, Hosts.nearAddress.v6])
        func slowNetCarriesItsRateDown(_ address: String) throws {
            let hosts = try Hosts()
            try hosts.apply("Slow Net")
            let share = try #require(try Flow.shareOfSlowNet(from: hosts.far, to: hosts.near, address: address))
            #expect(abs(share - 1) <= 0.01)
        }

        @Test(arguments: addresses)
        func nastyNetAnswersOneEchoInAHundred(_ address: String) throws {
            let hosts = try Hosts()
            try hosts.apply("Nasty Net")
            let ping = try Ping(from: hosts.near, to: address, count: 2500, interval: 0.005)
            // A request passes with 10 %, and so does its answer. Once in a million runs a right link fails this.
            #expect(ping.sent == 2500)
            #expect(
                CountDistribution.binomial(trials: ping.sent, probability: 0.01).bounds(error: 1e-6).contains(
                    ping.received
                )
            )
        }

        @Test(arguments: addresses)
        func blackHoleIsSilentAndItsUplinkFree(_ address: String) throws {
            let hosts = try Hosts()
            try hosts.apply("Black Hole")
            let ping = try Ping(from: hosts.near, to: address, count: 20, interval: 0.05, wait: 1)
            #expect(ping.received == 0)
            #expect(!ping.output.lowercased().contains("unreachable"))
            let counter = address.contains(":") ? "Icmp6InEchos" : "IcmpInEchos"
            let seen = try Shell.check("ip netns exec \(hosts.far) nstat -asz \(counter)")
            #expect(try seen.firstNumbers(#"InEchos +(\d+)"#).first == 20)
            let goodput = try Flow.goodput(
                from: hosts.near,
                to: hosts.far,
                address: address,
                payload: 1400,
                interval: 0.001,
                count: 500
            )
            #expect(try #require(goodput) > 5_000_000)
        }
    }
}
