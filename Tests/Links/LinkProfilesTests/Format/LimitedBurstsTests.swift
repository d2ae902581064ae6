// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct LimitedBurstsTests {
    private static func bursts(_ percent: Double, _ longest: Int) -> LimitedBursts {
        LimitedBursts(chance: Probability(fraction: percent / 100), longest: longest)
    }

    private static let text = #"{ "random": "30 %", "longestBurst": 3 }"#

    @Test(arguments: [text, "\"1 %\""])
    func readsBackAsItIsWritten(text: String) throws {
        let profile = try Profile(members: "\"uplink\": { \"loss\": \(text), \"corrupt\": \(text) }")
        #expect(try Profile(utf8: profile.json.text.utf8) == profile)
    }

    @Test func isReadInBothPlaces() throws {
        let profile = try Profile(members: "\"uplink\": { \"loss\": \(Self.text), \"corrupt\": \(Self.text) }")
        #expect(profile.uplink?.loss == .limited(Self.bursts(30, 3)))
        #expect(profile.uplink?.corrupt == Probability(fraction: 0.3) && profile.uplink?.longestCorruption == 3)
    }

    @Test func aStepReplacesBothFigures() throws {
        var base = Impairments()
        (base.corrupt, base.longestCorruption) = (Probability(fraction: 0.3), 3)
        var step = Impairments()
        step.corrupt = Probability(fraction: 0.1)
        #expect(step.overriding(base).longestCorruption == nil)
        #expect(Impairments().overriding(base) == base)
    }

    @Test func agreesWithSimulatedBursts() {
        for (percent, longest) in [(30.0, 3), (2, 3), (90, 2), (100, 4), (50, 1)] {
            let bursts = Self.bursts(percent, longest)
            var generator = SeededGenerator(seed: 7)
            var inARow = 0
            let sample = LossSample {
                inARow = inARow < longest && generator.hits(bursts.chance) ? inARow + 1 : 0
                return inARow > 0
            }
            #expect(abs(sample.mean - bursts.mean) < 4 * sample.standardError + 1e-4, "\(bursts)")
        }
    }
}
