// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkEmulation

@Suite struct SplitMix64Tests {
    /// What the published splitmix64.c prints for these seeds.
    @Test(
        arguments: [
            (
                1_234_567,
                [
                    6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                    4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
                ]
            ),
            (0, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F, 0xF88B_B8A8_724C_81EC]),
        ] as [(UInt64, [UInt64])]
    )
    func givesThePublishedNumbers(seed: UInt64, numbers: [UInt64]) {
        #expect(numbers.indices.map { SplitMix64.value(seed: seed, index: UInt64($0)) } == numbers)
    }
}
