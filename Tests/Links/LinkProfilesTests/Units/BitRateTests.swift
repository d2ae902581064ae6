// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct BitRateTests {
    private func rate(_ text: String) throws -> BitRate {
        BitRate(bitsPerSecond: try BitRate.quantity.parse(text).get())
    }

    @Test(arguments: [
        ("1 bit/s", 1), ("1 kbit/s", 1000), ("1 Mbit/s", 1_000_000), ("1 Gbit/s", 1_000_000_000),
        ("1 bps", 1), ("1 kbps", 1000), ("1 Mbps", 1_000_000), ("1 Gbps", 1_000_000_000),
    ])
    func readsDecimalPrefixes(text: String, bits: UInt64) throws {
        #expect(try rate(text).bitsPerSecond == bits)
    }

    @Test(arguments: [("1 B/s", 8), ("4 kB/s", 32_000), ("0.5 MB/s", 4_000_000), ("2 GB/s", 16_000_000_000)])
    func readsBytesAsEightBits(text: String, bits: UInt64) throws {
        #expect(try rate(text).bitsPerSecond == bits)
    }

    @Test(arguments: [
        (0, "0 bit/s"), (1, "1 bit/s"), (999, "999 bit/s"), (1000, "1 kbit/s"), (14_400, "14.4 kbit/s"),
        (1_500_000, "1.5 Mbit/s"), (1_000_001, "1.000001 Mbit/s"), (2_000_000_000, "2 Gbit/s"),
        (10_000_000_000_000, "10000 Gbit/s"),
    ])
    func printsTheLargestPrefixThatKeepsItExact(bits: UInt64, text: String) {
        #expect("\(BitRate(bitsPerSecond: bits))" == text)
    }

    @Test func comparesBySize() throws {
        #expect(try rate("999 kbit/s") < rate("1 Mbit/s"))
        #expect(try rate("1 kB/s") == rate("8 kbit/s"))
    }

    @Test func isZeroOnlyForAHold() throws {
        #expect(try rate("0 kbit/s").isZero)
        #expect(try !rate("1 bit/s").isZero)
    }

    @Test func computesTheTimeOfAFrame() throws {
        #expect(try rate("32 kbit/s").time(forBytes: 98) == .microseconds(24_500))
        #expect(try rate("10000 Gbit/s").time(forBytes: 1500) == .nanoseconds(1))
        #expect(try rate("1 bit/s").time(forBytes: 65_536) == .seconds(524_288))
    }

    @Test func computesTheBytesInATime() throws {
        #expect(try rate("1 Mbit/s").bytes(in: .milliseconds(300)) == 37_500)
        #expect(try rate("0 bit/s").bytes(in: .seconds(1)) == 0)
    }
}
