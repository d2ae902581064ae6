// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

/// The two kinds of quantiles that lie between values, by the definitions of Hyndman and Fan (1996).
@Suite struct QuantileTests {
    @Test func goFromTheSmallestValueToTheLargest() {
        let values: [Double] = [4, 1, 3, 2]
        #expect([0, 0.25, 0.5, 1].map(values.quantile) == [1, 1.75, 2.5, 4])
        #expect([Double]().quantile(0.5).isNaN && [7.0].quantile(0.9) == 7)
    }

    @Test func countEachValueForTheMiddleOfItsShare() {
        let sorted: [Double] = [1, 2, 3, 4]
        #expect([0, 0.125, 0.25, 0.5, 0.9].map(sorted.midpointQuantile) == [1, 1, 1.5, 2.5, 4])
        #expect([Double]().midpointQuantile(0.5) == 0 && [7.0].midpointQuantile(0.1) == 7)
    }

    @Test func haveTheMedianInTheMiddle() {
        let sorted: [Double] = [1, 2, 4, 8, 16]
        #expect(sorted.median == 4 && sorted.quantile(0.5) == 4 && sorted.midpointQuantile(0.5) == 4)
        #expect([3.0].deviation == 0 && [1.0, 3].deviation == 2.0.squareRoot())
    }
}
