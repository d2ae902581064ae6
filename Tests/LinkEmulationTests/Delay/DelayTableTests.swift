// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

@Suite struct DelayTableTests {
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
        let values = DelayTable.values(for: distribution).map { Double($0) / Double(DelayTable.unit) }
        #expect(values.count == DelayTable.size)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
        // Each entry is rounded to half a unit.
        #expect(abs(Statistics.mean(values)) < 0.5 / Double(DelayTable.unit))
        #expect(abs(Statistics.variance(values) - 1) < 0.001)
    }

    @Test func isEmptyForUniform() {
        #expect(DelayTable.values(for: .uniform).isEmpty)
    }
}
