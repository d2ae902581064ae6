// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import TestKit
import Testing

@Suite struct CorruptionBurstTests {
    private static func corrupted(_ percent: Double, longest: Int?, duplicate: Probability? = nil) -> [Bool] {
        let run = Run {
            $0.corrupt = Probability(percent: percent)
            $0.longestCorruption = longest
            $0.duplicate = duplicate
        }
        let copies = run.with { $0.packets = 20_000 }.survivors.sorted { ($0.tag, $0.copy) < ($1.tag, $1.copy) }
        return copies.map { $0.corruptedBit != nil }
    }

    private static func longest(_ corrupted: [Bool]) -> Int {
        corrupted.split(separator: false).map(\.count).max() ?? 0
    }

    @Test func corruptsAtMostSoManyInARow() {
        #expect(Self.longest(Self.corrupted(30, longest: 3)) == 3)
        #expect(Self.longest(Self.corrupted(30, longest: nil)) > 3)
    }

    @Test func corruptsTheMeanShare() {
        let corrupted = Self.corrupted(30, longest: 3)
        var figures = Impairments()
        (figures.corrupt, figures.longestCorruption) = (Probability(percent: 30), 3)
        // 0.3 + 0.09 + 0.027 corrupted ones for each that is spared.
        #expect(abs((figures.meanCorruption ?? 0) - 0.417 / 1.417) < 1e-9)
        #expect(abs(Double(corrupted.count { $0 }) / 20_000 - 0.417 / 1.417) < 0.015)
    }

    @Test func countsEachCopy() {
        let corrupted = Self.corrupted(100, longest: 2, duplicate: .one)
        #expect(corrupted.prefix(6) == [true, true, false, true, true, false])
    }
}
