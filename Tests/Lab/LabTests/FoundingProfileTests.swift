// SPDX-License-Identifier: Apache-2.0

import Statistics
import TestKit
import Testing

extension LabTests {
    /// The founding profiles between two hosts, in both directions and over both IP versions.
    @Suite struct FoundingProfiles {
        private static let addresses = [Hosts.farAddress.v4, Hosts.farAddress.v6]

        /// Milliseconds for a round trip of frames of `bytes` bytes through 32 kbit/s and 100 ms each way.
        private static func slowNetRoundTrip(_ bytes: Int) -> Double {
            2 * (100 + Double(bytes) * 8 / 32)
        }

        @Test func slowNetDelaysByItsDelayAndRate() throws {
            try Measurements.settle {
                let pings = try sideBySide(Self.addresses) { address in
                    let hosts = try Hosts()
                    try hosts.apply("Slow Net")
                    return (
                        small: try Ping(from: hosts.near, to: address, count: 8, interval: 0.1),
                        large: try Ping(from: hosts.near, to: address, count: 4, interval: 0.5, payload: 1400)
                    )
                }
                let faults = try zip(Self.addresses, pings).flatMap { address, ping in
                    let header = address.contains(":") ? 62 : 42
                    let (small, large) = (Self.slowNetRoundTrip(56 + header), Self.slowNetRoundTrip(1400 + header))
                    return [
                        try ping.small.fault(address, small - 3...small + 3),
                        try ping.large.fault(address, large - 5...large + 5),
                    ]
                }
                return faults.compactMap { $0 }.first
            }
        }

        @Test func slowNetDelaysQueriesToPort53By200MillisecondsMore() throws {
            try Measurements.settle {
                let times = try sideBySide(Self.addresses) { address in
                    let hosts = try Hosts()
                    try hosts.apply("Slow Net")
                    return try [53, 5300].map {
                        try Flow.roundTrip(from: hosts.near, to: hosts.far, address: address, port: $0)
                    }
                }
                for times in times where abs(try #require(times[0]) - (try #require(times[1])) - 200) > 3 {
                    return "\(times)"
                }
                return nil
            }
        }

        @Test func slowNetCarriesItsRateUp() throws {
            try Measurements.settle {
                let shares = try sideBySide(Self.addresses) { address in
                    let hosts = try Hosts()
                    try hosts.apply("Slow Net")
                    return try Flow.shareOfSlowNet(from: hosts.near, to: hosts.far, address: address)
                }
                return try Flow.fault(shares)
            }
        }

        @Test func slowNetCarriesItsRateDown() throws {
            try Measurements.settle {
                let shares = try sideBySide([Hosts.nearAddress.v4, Hosts.nearAddress.v6]) { address in
                    let hosts = try Hosts()
                    try hosts.apply("Slow Net")
                    return try Flow.shareOfSlowNet(from: hosts.far, to: hosts.near, address: address)
                }
                return try Flow.fault(shares)
            }
        }

        @Test func nastyNetAnswersOneEchoInAHundred() throws {
            let pings = try sideBySide(Self.addresses) { address in
                let hosts = try Hosts()
                try hosts.apply("Nasty Net")
                return try Ping.counts(from: hosts.near, to: address)
            }
            for (address, ping) in zip(Self.addresses, pings) {
                // A request passes with 10 %, and so does its answer. Once in a million runs a right link fails this.
                #expect(ping.sent == 2500, "\(address)")
                let bounds = CountDistribution.binomial(trials: ping.sent, probability: 0.01).bounds(error: 1e-6)
                #expect(bounds.contains(ping.received), "\(address)")
            }
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
            try Flow.expectFree(from: hosts.near, to: hosts.far, address: address, count: 500)
        }
    }
}
