// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

struct DurationWordsTests {
    @Test(arguments: [
        (0.0, "0 s"), (0.000_085_34, "85.3 us"), (0.000_999_6, "1 ms"), (0.34, "340 ms"),
        (2.354, "2.35 s"), (42.04, "42 s"), (59.96, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min"),
        (90_000, "1 d 1 h"), (-0.02, "-20 ms"),
    ])
    func haveThreeDigits(seconds: Double, words: String) {
        #expect(Duration.seconds(seconds).words == words)
    }
}
