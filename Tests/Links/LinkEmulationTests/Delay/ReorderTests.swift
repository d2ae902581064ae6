// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Statistics
import TestKit
import Testing

@Suite struct ReorderTests {
    private static func run(percent: Double, gap: Int) -> Run {
        Run {
            $0.delay = .milliseconds(50)
            $0.reorder = Reorder(probability: Probability(percent: percent), gap: gap)
        }.with { $0.packets = 50_000 }
    }

    /// Which packets went without delay, in the order of arrival.
    private static func overtaking(_ run: Run) -> [Bool] {
        run.delays.map { $0 == 0 }
    }

    @Test func sendsEveryNthWithoutDelayWhereItIsCertain() {
        let overtaking = Self.overtaking(Self.run(percent: 100, gap: 5))
        #expect(overtaking.indices.allSatisfy { overtaking[$0] == ($0 % 5 == 4) })
    }

    @Test func delaysTheOthersAsUsual() {
        #expect(Self.run(percent: 25, gap: 3).delays.allSatisfy { $0 == 0 || $0 == 50_000_000 })
    }

    /// At least gap - 1 packets are delayed in between, then each one is a candidate.
    @Test(arguments: [(25.0, 1), (25, 5), (5, 10)])
    func waitsForTheGapAndThenForLuck(percent: Double, gap: Int) {
        let overtaking = Self.overtaking(Self.run(percent: percent, gap: gap))
        let runs = overtaking.split(separator: true, omittingEmptySubsequences: false).dropLast()
            .map { Double($0.count) }
        #expect(runs.allSatisfy { $0 >= Double(gap - 1) })
        let misses = 100 / percent - 1
        #expect(StandardErrors.agrees(meanOf: runs, with: Double(gap - 1) + misses))
    }

    @Test func keepsTheOrderOfTheOthers() {
        let run = Run {
            $0.delay = .milliseconds(50)
            $0.jitter = Jitter(amount: .milliseconds(20), distribution: .normal)
            $0.reorder = Reorder(probability: Probability(percent: 25), gap: 2)
        }
        let tags = run.survivors.filter { $0.nanoseconds > run.arrival($0.tag) }.map(\.tag)
        #expect(tags.count > 500)
        #expect(tags == tags.sorted())
    }

    @Test func letsOvertakingPacketsPassTheBottleneckToo() {
        let run = Run {
            $0.delay = .milliseconds(50)
            $0.rate = BitRate(bitsPerSecond: 121_120_000)
            $0.reorder = Reorder(probability: Probability(percent: 25))
        }
        // 1514 bytes take 100 us, and may have to wait for as many that come at the same time.
        let delays = run.delays
        #expect(delays.allSatisfy { [100_000, 200_000].contains($0 % 50_000_000) && $0 < 51_000_000 })
        #expect(delays.contains { $0 < 50_000_000 })
    }
}
