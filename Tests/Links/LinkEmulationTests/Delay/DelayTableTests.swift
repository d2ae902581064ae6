// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Statistics
import Testing

@Suite struct DelayTableTests {
    /// A table in standard deviations.
    private static func values(_ distribution: Jitter.Distribution) -> [Double] {
        DelayTable.values(for: distribution).map { Double($0) / 8192 }
    }

    /// The third standardized moment.
    private static func skewness(_ values: [Double]) -> Double { values.map { $0 * $0 * $0 }.mean }

    /// 64-bit FNV-1a over the little-endian entries. A change here changes what every seed means.
    @Test(
        arguments: [
            (.normal, 0x3595_05F5_951B_6DF8), (.pareto, 0xCF90_6A9F_426D_D4D6), (.paretonormal, 0x7BA9_6A88_95A6_D113),
        ] as [(Jitter.Distribution, UInt64)]
    )
    func isTheSameOnEveryMachine(distribution: Jitter.Distribution, fingerprint: UInt64) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for entry in DelayTable.values(for: distribution) {
            for byte in [UInt8(truncatingIfNeeded: entry), UInt8(truncatingIfNeeded: entry >> 8)] {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        #expect(hash == fingerprint)
    }

    @Test(arguments: [Jitter.Distribution.normal, .pareto, .paretonormal])
    func hasMeanZeroAndDeviationOne(distribution: Jitter.Distribution) {
        let values = Self.values(distribution)
        #expect(values.count == 4096)
        // Each entry is rounded to half a unit.
        #expect(abs(values.mean) < 0.5 / Double(DelayTable.unit))
        #expect(abs(values.map { $0 * $0 }.mean.squareRoot() - 1) < 0.0005)
    }

    @Test(arguments: [Jitter.Distribution.normal, .pareto, .paretonormal])
    func neverFalls(distribution: Jitter.Distribution) {
        let values = DelayTable.values(for: distribution)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func leavesUniformToTheKernel() {
        #expect(DelayTable.values(for: .uniform).isEmpty)
    }

    @Test func isSymmetricWhereNormal() {
        let values = DelayTable.values(for: .normal).map(Int.init)
        #expect(zip(values, values.reversed()).allSatisfy { abs($0 + $1) <= 1 })
    }

    @Test(arguments: [
        (0.5, 0.0), (0.841345, 1.0), (0.9, 1.281552), (0.95, 1.644854), (0.975, 1.959964), (0.99, 2.326348),
        (0.025, -1.959964), (0.158655, -1.0),
    ])
    func hasTheQuantilesOfTheNormalDistribution(probability: Double, quantile: Double) {
        let values = Self.values(.normal)
        // Entry i is the quantile of (i + 1/2) / 4096; between entries it is interpolated linearly.
        let place = probability * 4096 - 0.5
        let below = Int(place)
        let share = place - Double(below)
        let found = values[below] * (1 - share) + values[below + 1] * share
        #expect(abs(found - quantile) < 0.005)
    }

    @Test func leansToLatePacketsWherePareto() {
        let pareto = Self.values(.pareto)
        let mixed = Self.values(.paretonormal)
        #expect(abs(Self.skewness(Self.values(.normal))) < 0.01)
        #expect(Self.skewness(pareto) > 1)
        #expect(Self.skewness(mixed) > 0.5)
        #expect(Self.skewness(mixed) < Self.skewness(pareto))
        // Most packets are a little early, few are very late.
        #expect(pareto[2048] < 0)
        #expect((pareto.last ?? 0) > 3)
        #expect((pareto.first ?? 0) > -1.5)
    }
}
