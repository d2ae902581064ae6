// SPDX-License-Identifier: Apache-2.0

import Statistics
import TestKit
import Testing

@Suite struct WilsonIntervalTests {
    /// Values of R's binom.confint(method = "wilson").
    @Test(arguments: [
        (0, 10, 0, 0.2775328), (1, 10, 0.0178762, 0.4041500), (5, 10, 0.2365931, 0.7634069), (10, 10, 0.7224672, 1),
        (3, 20, 0.0523685, 0.3604191), (1, 1, 0.2065493, 1),
    ])
    func agreesWithTheLiterature(successes: Int, runs: Int, lower: Double, upper: Double) {
        let range = WilsonInterval(successes, of: runs).range
        #expect(abs(range.lowerBound - lower) < 1e-5)
        #expect(abs(range.upperBound - upper) < 1e-5)
    }

    @Test func saysNothingWithoutRuns() {
        let interval = WilsonInterval(0, of: 0)
        #expect(interval.share == nil)
        #expect(interval.range == 0...1)
    }
}
