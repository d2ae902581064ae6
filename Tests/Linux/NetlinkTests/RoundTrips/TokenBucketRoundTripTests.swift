// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Testing

@testable import Netlink

@Suite struct TokenBucketRoundTripTests {
    static let rates: [UInt64] = [
        1, 4000, 625_000_000, 3_750_000_000, UInt64(UInt32.max), 1 << 32, 5_000_000_000, 12_500_000_000,
    ]

    @Test(arguments: rates, [1522, 1, 65_557] as [UInt32]) func readsWhatItWrites(_ rate: UInt64, _ burst: UInt32)
        throws
    {
        let bucket = TokenBucket(bytesPerSecond: rate, burst: burst, limit: 3000)
        let qdisc = Qdisc(link: 7, parent: .root, handle: Handle(1), kind: .tokenBucket(bucket))
        let reply = try #require(qdisc.add(on: "lane").asReply)
        #expect(Qdisc(reply) == qdisc)
    }

    /// tbf_dump gives the bucket as time, in ticks rounded down, and a 64-bit rate only where it needs one.
    private func dumped(_ bucket: TokenBucket) -> TokenBucket? {
        let nanoseconds = UInt64(bucket.burst) * 1_000_000_000 / bucket.bytesPerSecond
        var parameters = tc_tbf_qopt()
        parameters.rate.rate = UInt32(clamping: bucket.bytesPerSecond)
        parameters.limit = bucket.limit
        parameters.buffer = UInt32(clamping: nanoseconds / 64)
        let isLarge = bucket.bytesPerSecond > UInt64(UInt32.max)
        let rate64 = isLarge ? attribute(TCA_TBF_RATE64, bytes(of: bucket.bytesPerSecond)) : []
        return TokenBucket((attribute(TCA_TBF_PARMS, bytes(of: parameters)) + rate64)[...])
    }

    /// All but the slowest, whose bucket lasts longer than 32 bits of ticks can say.
    @Test(arguments: rates.dropFirst()) func matchesWhatTheKernelRounds(_ rate: UInt64) throws {
        let bucket = TokenBucket(bytesPerSecond: rate, burst: 1522, limit: 1522)
        let other = try #require(dumped(bucket))
        #expect(bucket.matches(other), "\(other)")
    }

    @Test func doesNotMatchAnotherBucket() {
        let bucket = TokenBucket(bytesPerSecond: 3_750_000_000, burst: 1522, limit: 1522)
        #expect(!bucket.matches(TokenBucket(bytesPerSecond: 3_750_000_001, burst: 1522, limit: 1522)))
        #expect(!bucket.matches(TokenBucket(bytesPerSecond: 3_750_000_000, burst: 1522, limit: 1523)))
        #expect(!bucket.matches(TokenBucket(bytesPerSecond: 3_750_000_000, burst: 2000, limit: 1522)))
        #expect(!bucket.matches(TokenBucket(bytesPerSecond: 3_750_000_000, burst: 1000, limit: 1522)))
    }

    @Test func readsNothingWithoutParameters() {
        #expect(TokenBucket([]) == nil)
        #expect(TokenBucket(attribute(TCA_TBF_PARMS, [1, 2, 3])[...]) == nil)
    }
}
