// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

@Suite struct NetemTranslationTests {
    private static func netem(
        hasEthernetHeader: Bool = true,
        seed: UInt64? = nil,
        kind: Lane = .uplink,
        _ impairments: Impairments
    ) -> Netem {
        let context = LaneContext(mtu: 1500, hasEthernetHeader: hasEthernetHeader, seed: seed)
        return NetemTranslation.netem(impairments, kind: kind, context)
    }

    @Test func refusesALongestBurst() {
        let burst = LimitedBursts(chance: .percent(30), longest: 3)
        let figures = Impairments.with {
            $0.loss = .limited(burst)
            ($0.corrupt, $0.longestCorruption) = (burst.chance, burst.longest)
        }
        #expect(
            NetemTranslation.unsupported(figures) == ["a longest burst of losses", "a longest burst of corruption"]
        )
    }

    @Test func changesNothingThatIsNotAsked() {
        #expect(Self.netem(Impairments()) == Netem(limit: 1000))
    }

    @Test(
        arguments: [(0, 0), (0.00000001, 0), (50, 0x8000_0000), (90, 3_865_470_566), (100, .max)] as [(Double, UInt32)]
    )
    func scalesSharesToTheKernels(percent: Double, share: UInt32) {
        let netem = Self.netem(
            .with {
                $0.loss = .random(.percent(percent))
                $0.duplicate = .percent(percent)
                $0.corrupt = .percent(percent)
                $0.reorder = Reorder(probability: .percent(percent), gap: 3)
            }
        )
        #expect(netem.loss == .random(share))
        #expect([netem.duplicate, netem.corrupt, netem.reorder] == [share, share, share])
        #expect(netem.gap == 3)
    }

    @Test(arguments: [(8, 1), (11, 1), (12, 2), (32000, 4000), (40_000_000_000, 5_000_000_000)] as [(UInt64, UInt64)])
    func countsTheRateInBytes(bits: UInt64, bytes: UInt64) {
        #expect(Self.netem(.rate(bits)).rate == Netem.Rate(bytesPerSecond: bytes))
    }

    @Test func countsTheEthernetHeaderOnEveryDevice() {
        #expect(Self.netem(.rate(8000)).rate.packetOverhead == 0)
        #expect(Self.netem(hasEthernetHeader: false, .rate(8000)).rate.packetOverhead == 14)
        var adsl = Impairments.rate(8_000_000)
        adsl.overhead = Overhead(packet: -4, cell: 48, cellOverhead: 5)
        let rate = Netem.Rate(bytesPerSecond: 1_000_000, packetOverhead: -4, cellSize: 48, cellOverhead: 5)
        #expect(Self.netem(adsl).rate == rate)
        #expect(Self.netem(hasEthernetHeader: false, adsl).rate.packetOverhead == 10)
    }

    @Test func keepsTheOrderOfJitterByARate() {
        let ordered = Impairments.with {
            $0.delay = .milliseconds(50)
            $0.jitter = Jitter(amount: .milliseconds(20))
        }
        #expect(Self.netem(ordered).rate == Netem.Rate(bytesPerSecond: 4_000_000_000))
        #expect(Self.netem(ordered).jitter == 20_000_000)
        var unordered = ordered
        unordered.jitter?.ordered = false
        #expect(Self.netem(unordered).rate == Netem.Rate())
        var still = ordered
        still.jitter?.amount = .zero
        #expect(Self.netem(still).rate == Netem.Rate())
        var shaped = ordered
        shaped.rate = BitRate(bitsPerSecond: 8000)
        #expect(Self.netem(shaped).rate == Netem.Rate(bytesPerSecond: 1000))
    }

    @Test(arguments: Jitter.Distribution.allCases)
    func sendsATableWhereTheKernelNeedsOne(distribution: Jitter.Distribution) {
        var impairments = Impairments.delay(50)
        impairments.jitter = Jitter(amount: .milliseconds(20), distribution: distribution)
        #expect(Self.netem(impairments).distribution == DelayTable.values(for: distribution))
        impairments.jitter?.amount = .zero
        #expect(Self.netem(impairments).distribution.isEmpty)
    }

    @Test func holdsWhatTheLatestPacketsNeed() {
        // 10 Gbit/s for 50 ms and once, or four times, 20 ms.
        var impairments = Impairments.delay(50)
        impairments.jitter = Jitter(amount: .milliseconds(20))
        #expect(Self.netem(impairments).limit == 57793)
        impairments.jitter?.distribution = .normal
        #expect(Self.netem(impairments).limit == 107_331)
    }

    @Test func takesAChainByWhatItLoses() {
        let chain = GilbertElliott(
            p: .percent(1),
            r: .percent(25),
            lossInBad: .percent(100),
            lossInGood: .percent(0)
        )
        #expect(
            Self.netem(.with { $0.loss = .gilbertElliott(chain) }).loss
                == .gilbertElliott(p: 42_949_673, r: 0x4000_0000, lossInBad: .max, lossInGood: 0)
        )
        let partial = GilbertElliott(
            p: .percent(50),
            r: .percent(50),
            lossInBad: .percent(90),
            lossInGood: .percent(50)
        )
        #expect(
            Self.netem(.with { $0.loss = .gilbertElliott(partial) }).loss
                == .gilbertElliott(p: 0x8000_0000, r: 0x8000_0000, lossInBad: 3_865_470_566, lossInGood: 0x8000_0000)
        )
    }

    @Test func keepsTheFourStatesApart() {
        let chain = FourState(
            p13: .percent(100),
            p31: .percent(50),
            p32: .percent(25),
            p23: .percent(0),
            p14: .percent(90)
        )
        #expect(
            Self.netem(.with { $0.loss = .fourState(chain) }).loss
                == .fourState(p13: .max, p31: 0x8000_0000, p32: 0x4000_0000, p14: 3_865_470_566, p23: 0)
        )
    }

    @Test func marksInsteadOfDroppingWhereAsked() {
        var impairments = Impairments.loss(10)
        #expect(!Self.netem(impairments).ecn)
        impairments.ecn = true
        #expect(Self.netem(impairments).ecn)
    }

    @Test func startsEveryLaneElsewhereFromOneSeed() {
        let seeds = Lane.allCases.map { Self.netem(seed: .max, kind: $0, .loss(10)).seed }
        #expect(Set(seeds).count == 3)
        #expect(!seeds.contains(nil))
        #expect(seeds == Lane.allCases.map { Self.netem(seed: .max, kind: $0, .loss(10)).seed })
        #expect(Self.netem(.loss(10)).seed == nil)
    }
}
