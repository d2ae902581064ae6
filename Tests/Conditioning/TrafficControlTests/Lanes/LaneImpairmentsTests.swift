// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Qdiscs read back as impairments.
@Suite struct LaneImpairmentsTests {
    private static func readBack(_ impairments: Impairments) -> Impairments? {
        let context = LaneContext(mtu: 1500, hasEthernetHeader: true, seed: nil)
        return LaneQdiscs.lanes(of: Profile("P", uplink: impairments), context).lanes.first?.impairments
    }

    @Test(
        arguments: [
            .delay(100), .rate(32000), .rate(32_000_000_000), .loss(90), .loss(100), .loss(0.1),
            .with {
                $0.delay = .microseconds(1500)
                $0.jitter = Jitter(amount: .milliseconds(1))
            },
            .with {
                $0.delay = .milliseconds(100)
                $0.reorder = Reorder(probability: .percent(25), gap: 5)
            },
            .with {
                $0.duplicate = .percent(1)
                $0.corrupt = .percent(0.5)
            },
            .with {
                $0.rate = BitRate(bitsPerSecond: 8_000_000)
                $0.overhead = Overhead(packet: 10, cell: 48, cellOverhead: 5)
            },
            .with {
                $0.loss = .gilbertElliott(GilbertElliott(p: .percent(1), r: .percent(30), lossInBad: .percent(90)))
                $0.ecn = true
            },
            .with { $0.loss = .fourState(FourState(p13: .percent(2), p31: .percent(30), p14: .percent(1))) },
        ] as [Impairments]
    )
    func saysWhatWasAsked(impairments: Impairments) {
        var impairments = impairments
        if impairments.rate != nil { impairments.queue = .time(.milliseconds(400)) }
        #expect(Self.readBack(impairments) == impairments)
    }

    @Test func doesNotTakeTheRateThatKeepsOrderForABottleneck() {
        let jitter = Impairments.with {
            $0.delay = .milliseconds(50)
            $0.jitter = Jitter(amount: .milliseconds(20), ordered: true)
        }
        #expect(Self.readBack(jitter)?.rate == nil)
        var unordered = jitter
        unordered.jitter?.ordered = false
        #expect(Self.readBack(unordered) == unordered)
    }
}
