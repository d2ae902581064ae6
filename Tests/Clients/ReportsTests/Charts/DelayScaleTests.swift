// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reports

/// The scale of the delays: what is usual must not lie on the floor below what was once long.
struct DelayScaleTests {
    @Test func beginsAtZeroWhereDelaysAreAlike() {
        let scale = DelayScale(0.04, 0.16)
        #expect(!scale.isLogarithmic && scale.ticks == [0.1, 0.2])
        #expect(scale.share(0) == 0 && scale.share(0.1) == 0.5 && scale.share(9) == 1)
    }

    @Test func isLogarithmicWhereOneIsFarLonger() {
        let scale = DelayScale(0.117, 5.94)
        #expect(scale.isLogarithmic && scale.ticks == [0.1, 1, 10])
        #expect(scale.share(1) == 0.5 && scale.share(0) == 0 && scale.share(0.117) > 0.02)
    }

    @Test(arguments: [(1e-6, 275.0), (0.0002, 0.004), (0.5, 6), (1e-9, 1e-7), (3e-3, 1e5), (1, 11)])
    func hasAFewLinesBetweenItsEnds(minimum: Double, maximum: Double) {
        let scale = DelayScale(minimum, maximum)
        #expect((2...4).contains(scale.ticks.count), "\(scale.ticks)")
        #expect(scale.ticks == scale.ticks.sorted() && scale.share(maximum) <= 1 && scale.share(maximum) > 0.7)
        #expect(scale.ticks.allSatisfy { 0...1 ~= scale.share($0) })
    }
}
