// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Probing
@testable import Reachability

@Suite struct QualityClassTests {
    @Test(arguments: [
        (QualityClass.excellent, 0, 0.0), (.excellent, 49, 0.009), (.good, 50, 0), (.good, 0, 0.01),
        (.good, 269, 0.049), (.fair, 270, 0), (.fair, 0, 0.05), (.fair, 1399, 0.149), (.poor, 1400, 0),
        (.poor, 0, 0.15), (.poor, 1999, 0.399), (.unusable, 2000, 0), (.unusable, 0, 0.4), (.unusable, 60_000, 1),
    ])
    func isTheBestWhoseLimitsBothHold(quality: QualityClass, milliseconds: Int, loss: Double) {
        #expect(QualityClass(roundTrip: .milliseconds(milliseconds), loss: loss) == quality)
    }

    @Test func neverImprovesWithMoreDelayOrLoss() throws {
        func rank(_ milliseconds: Int, _ percent: Int) throws -> Int {
            let quality = QualityClass(roundTrip: .milliseconds(milliseconds), loss: Double(percent) / 100)
            return try #require(QualityClass.allCases.firstIndex(of: quality))
        }
        for milliseconds in stride(from: 0, to: 2500, by: 25) {
            for percent in 0..<50 {
                let here = try rank(milliseconds, percent)
                #expect(try rank(milliseconds + 25, percent) >= here)
                #expect(try rank(milliseconds, percent + 1) >= here)
            }
        }
    }
}
