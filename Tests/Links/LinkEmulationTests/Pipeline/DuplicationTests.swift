// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Statistics
import TestKit
import Testing

@Suite struct DuplicationTests {
    @Test(arguments: [1.0, 20, 100])
    func doublesTheShare(percent: Double) {
        let run = Run { $0.duplicate = Probability(percent: percent) }.with { $0.packets = 20_000 }
        let copies = run.survivors.filter { $0.copy == 1 }
        #expect(StandardErrors.agrees(copies.count, of: run.packets, with: percent / 100))
        #expect(run.survivors.count == run.packets + copies.count)
        #expect(Set(copies.map(\.tag)).count == copies.count)
    }

    @Test func givesEachCopyItsOwnJitter() {
        let run = Run {
            $0.delay = .milliseconds(50)
            $0.jitter = Jitter(amount: .milliseconds(20), ordered: false)
            $0.duplicate = .one
        }
        let pairs = Dictionary(grouping: run.survivors, by: \.tag).values
        #expect(pairs.count == run.packets)
        // Equal in about one of a 40 million nanoseconds.
        #expect(pairs.allSatisfy { $0.count == 2 && $0[0].due != $0[1].due })
    }

    @Test func doublesNothingThatIsLost() {
        let run = Run {
            $0.loss = .random(Probability(percent: 50))
            $0.duplicate = .one
        }
        #expect(run.survivors.count == 2 * run.losses.count { !$0 })
    }

    @Test func flipsOneBitOfTheShare() {
        let run = Run { $0.corrupt = Probability(percent: 20) }.with { $0.packets = 50_000 }
        let bits = run.survivors.compactMap(\.corruptedBit)
        #expect(StandardErrors.agrees(bits.count, of: run.packets, with: 0.2))
        #expect(bits.allSatisfy { $0 < 1500 * 8 })
        // Every eighth of the packet gets its share.
        for eighth in 0..<8 {
            let count = bits.count { Int($0) * 8 / 12_000 == eighth }
            #expect(StandardErrors.agrees(count, of: bits.count, with: 1.0 / 8))
        }
    }
}
