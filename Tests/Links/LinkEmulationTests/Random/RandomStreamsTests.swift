// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Statistics
import TestKit
import Testing

@testable import LinkEmulation

@Suite struct RandomStreamsTests {
    /// Computed by the same steps in another language.
    @Test func startsEachStreamWhereItAlwaysDid() {
        let streams = RandomStreams(seed: 42, lane: 1)
        #expect(streams.loss == 0x08A4_2655_AFD5_6572)
        #expect(streams.lossState == 0xC5FD_6642_4979_7016)
        #expect(streams.duplicate == 0x903B_EBD0_0092_9EA1)
        #expect(streams.corrupt == 0x14AF_8C0F_8FAE_049A)
        #expect(streams.corruptBit == 0xE3D1_FE43_BDCB_04C1)
        #expect(streams.jitter == 0x862E_DB08_8103_84A6)
        #expect(streams.reorder == 0x30C8_ED0D_A10B_1999)
    }

    /// Neighbouring bits of different streams, seeds and lanes agree as often as thrown coins.
    @Test func hasNothingInCommonBetweenStreams() {
        let pairs = [
            (RandomStreams(seed: 1, lane: 0).loss, RandomStreams(seed: 1, lane: 1).loss),
            (RandomStreams(seed: 1, lane: 0).loss, RandomStreams(seed: 2, lane: 0).loss),
            (RandomStreams(seed: 1, lane: 0).loss, RandomStreams(seed: 1, lane: 0).jitter),
            (RandomStreams(seed: 0, lane: 1).loss, RandomStreams(seed: 1, lane: 0).loss),
        ]
        for (left, right) in pairs {
            let agreeing = (0..<UInt64(2000)).reduce(0) { sum, index -> Int in
                let differing = SplitMix64.value(seed: left, index: index) ^ SplitMix64.value(seed: right, index: index)
                return sum + 64 - differing.nonzeroBitCount
            }
            #expect(StandardErrors.agrees(agreeing, of: 128_000, with: 0.5))
        }
    }

    /// The decisions about a packet are independent, and do not depend on which of them are made.
    @Test func keepsOtherDrawsWhereOneImpairmentIsAdded() {
        let jitterOnly = Run {
            $0.delay = .milliseconds(50)
            $0.jitter = Jitter(amount: .milliseconds(20), distribution: .normal, ordered: false)
        }
        let all = Run {
            $0 = jitterOnly.conditions.base
            $0.loss = .gilbertElliott(GilbertElliott(p: Probability(percent: 10), r: Probability(percent: 40)))
            $0.corrupt = Probability(percent: 5)
            $0.duplicate = Probability(percent: 5)
        }
        let expected = Dictionary(uniqueKeysWithValues: jitterOnly.survivors.map { ($0.tag, $0.due) })
        let found = all.survivors.filter { $0.copy == 0 }
        #expect(found.count > 500)
        #expect(found.allSatisfy { expected[$0.tag] == $0.due })
    }

    @Test func losesOtherPacketsInOtherLanesAndWithOtherSeeds() {
        let run = Run { $0.loss = .random(Probability(percent: 50)) }
        #expect(run.losses == run.losses)
        #expect(run.losses != run.with { $0.lane = 1 }.losses)
        #expect(run.losses != run.with { $0.seed = 2 }.losses)
    }
}
