// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Statistics
import TestKit
import Testing

/// The loss models against their theory. All samples have fixed seeds; the tolerances are those at which a right
/// implementation would fail with one seed in a million or two.
@Suite struct LossModelTests {
    private static func losses(_ model: LossModel, packets: Int = 100_000, seed: UInt64 = 3) -> [Bool] {
        Run { $0.loss = model }.with {
            $0.packets = packets
            $0.seed = seed
        }.losses
    }

    private static func runs(of value: Bool, in losses: [Bool]) -> [Double] {
        losses.split(separator: !value).map { Double($0.count) }
    }

    @Test(arguments: [0.1, 1, 10, 50, 90])
    func losesTheShareOfRandomLoss(percent: Double) {
        let losses = Self.losses(.random(Probability(percent: percent)))
        #expect(StandardErrors.agrees(losses.count { $0 }, of: losses.count, with: percent / 100))
    }

    @Test func losesEachPacketByItself() {
        let losses = Self.losses(.random(Probability(percent: 20)))
        // Runs of independent losses are geometric: 1 / 0.8 packets on average.
        #expect(StandardErrors.agrees(meanOf: Self.runs(of: true, in: losses), with: 1.25))
        #expect(StandardErrors.agrees(meanOf: Self.runs(of: false, in: losses), with: 5))
    }

    @Test func losesAllOrNothingAtTheEnds() {
        #expect(Self.losses(.random(.one), packets: 1000).allSatisfy { $0 })
        #expect(Self.losses(.random(.zero), packets: 1000).allSatisfy { !$0 })
    }

    @Test(arguments: [(1.0, 3.0), (5, 2), (10, 8), (40, 5), (2, 1.1)])
    func losesInBurstsOfTheMeanLength(percent: Double, burst: Double) throws {
        let chain = try #require(GilbertElliott(loss: Probability(percent: percent), burst: burst))
        let losses = Self.losses(.gilbertElliott(chain))
        let correlation = 1 - chain.p.fraction - chain.r.fraction
        #expect(
            StandardErrors.agrees(losses.count { $0 }, of: losses.count, with: percent / 100, correlation: correlation)
        )
        #expect(StandardErrors.agrees(meanOf: Self.runs(of: true, in: losses), with: burst))
        #expect(StandardErrors.agrees(meanOf: Self.runs(of: false, in: losses), with: 1 / chain.p.fraction))
    }

    /// Lengths are geometric: the share of bursts of one packet is r, and their variance (1 - r) / r^2.
    @Test func hasGeometricBursts() throws {
        let chain = try #require(GilbertElliott(loss: Probability(percent: 10), burst: 4))
        let bursts = Self.runs(of: true, in: Self.losses(.gilbertElliott(chain)))
        for length in 1...6 {
            var share = 0.25
            for _ in 1..<length { share *= 0.75 }
            #expect(StandardErrors.agrees(bursts.count { $0 == Double(length) }, of: bursts.count, with: share))
        }
        // The variance of a sample variance of a geometric distribution is about 9 variances squared over the count.
        let error = 12 * (9 / Double(bursts.count)).squareRoot()
        #expect(abs(bursts.variance - 12) < StandardErrors.limit * error)
    }

    @Test func losesInBothStatesWithTheirOwnShares() {
        let chain = GilbertElliott(
            p: Probability(percent: 2),
            r: Probability(percent: 10),
            lossInBad: Probability(percent: 60),
            lossInGood: Probability(percent: 1)
        )
        let fates = Run { $0.loss = .gilbertElliott(chain) }.with { $0.packets = 200_000 }.fates
        // In the bad state for p / (p + r) of the packets; what is lost there is called a burst. A loss there goes
        // with the state, whose neighbours correlate by 1 - p - r, and never by more.
        let burst = fates.count { $0.drop == .burstLoss }
        let alone = fates.count { $0.drop == .randomLoss }
        #expect(StandardErrors.agrees(burst, of: fates.count, with: 0.6 / 6, correlation: 0.88))
        #expect(StandardErrors.agrees(alone, of: fates.count, with: 0.01 * 5 / 6, correlation: 0.88))
    }

    private static func fourState(_ percents: [Double]) -> FourState {
        let shares = percents.map { Probability(percent: $0) }
        return FourState(p13: shares[0], p31: shares[1], p32: shares[2], p23: shares[3], p14: shares[4])
    }

    @Test(
        arguments: [
            [1, 99, 0, 100, 0], [5, 30, 0, 100, 0], [2, 40, 30, 50, 1], [10, 60, 40, 30, 5], [0, 100, 0, 100, 3],
        ] as [[Double]]
    )
    func losesTheShareOfTheFourStates(percents: [Double]) {
        let chain = Self.fourState(percents)
        let losses = Self.losses(.fourState(chain), packets: 200_000)
        // Batches of 2000 packets are long against every burst here, so that their shares are independent.
        let shares = stride(from: 0, to: losses.count, by: 2000).map { start in
            Double(losses[start..<start + 2000].count { $0 }) / 2000
        }
        #expect(StandardErrors.agrees(meanOf: shares, with: chain.meanLoss))
    }

    /// From 3 the chain leaves with p31 + p32; what p23 brings back begins another burst.
    @Test func burstsOfTheFourStatesEndAsTheyShould() {
        let losses = Self.losses(.fourState(Self.fourState([2, 20, 20, 50, 0])), packets: 200_000)
        #expect(StandardErrors.agrees(meanOf: Self.runs(of: true, in: losses), with: 1 / 0.4))
        // After a burst half go to state 2, from where a loss follows after a mean of two received packets; from state
        // 1 it does after fifty.
        #expect(StandardErrors.agrees(meanOf: Self.runs(of: false, in: losses), with: 0.5 * 2 + 0.5 * 50))
    }

    @Test func callsLossesBetweenBurstsRandom() {
        let fates = Run { $0.loss = .fourState(Self.fourState([0, 100, 0, 100, 10])) }.with { $0.packets = 5000 }.fates
        #expect(fates.contains { $0.drop == .randomLoss })
        #expect(!fates.contains { $0.drop == .burstLoss })
        // State 4 always returns to 1: never two in a row.
        let losses = fates.sorted { $0.tag < $1.tag }.map { $0.drop != nil }
        #expect(!zip(losses, losses.dropFirst()).contains { $0 && $1 })
    }

    /// The packet after a longest burst always passes: so the mean is smaller than the chance.
    @Test(arguments: [(30.0, 3), (2, 2), (90, 2), (50, 1)])
    func losesAtMostSoManyInARow(percent: Double, longest: Int) {
        let model = LimitedBursts(chance: Probability(percent: percent), longest: longest)
        let losses = Self.losses(.limited(model))
        let bursts = Self.runs(of: true, in: losses)
        #expect(bursts.max() == Double(longest))
        // Shares of batches, since neighbours depend on each other.
        let shares = stride(from: 0, to: losses.count, by: 2000).map { start in
            Double(losses[start..<start + 2000].count { $0 }) / 2000
        }
        #expect(StandardErrors.agrees(meanOf: shares, with: model.mean))
    }

    @Test func losesAllButOneOfEachBurstWhereEveryPacketWouldBeLost() {
        let losses = Self.losses(.limited(LimitedBursts(chance: .one, longest: 3)), packets: 8)
        #expect(losses == [true, true, true, false, true, true, true, false])
    }

    @Test func beginsInTheGoodState() {
        let chain = GilbertElliott(p: .one, r: .zero)
        #expect(Self.losses(.gilbertElliott(chain), packets: 5) == [false, true, true, true, true])
    }

    @Test func marksInsteadOfLosingWhereThePacketAllowsIt() {
        let run = Run {
            $0.loss = .random(Probability(percent: 30))
            $0.ecn = true
        }
        let lost = run.losses
        let marked = run.with { $0.isECNCapable = true }.survivors.sorted { $0.tag < $1.tag }
        #expect(lost.contains(true))
        #expect(marked.map(\.isMarked) == lost)
        let unmarked = run.with {
            $0.isECNCapable = true
            $0.conditions.base.ecn = false
        }
        #expect(unmarked.losses == lost)
        #expect(unmarked.survivors.allSatisfy { !$0.isMarked })
    }
}
