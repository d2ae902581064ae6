// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import linkcond

@Suite struct TimeHistogramTests {
    @Test func percentilesAreWithinOnePercentOfTheSortedTimes() throws {
        var histogram = TimeHistogram()
        var times: [Int64] = []
        var state: UInt64 = 1
        for index in 0..<2000 {
            // Spread over all powers of two that are held.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let time = Int64((state >> 32) >> UInt64(index % 32))
            times.append(max(time, 1))
            histogram.record(.microseconds(time))
        }
        times.sort()
        for share in [0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1] {
            let exact = times[max(Int((share.nextDown * 2000).rounded(.up)), 1) - 1]
            let found = try #require(histogram.percentile(share))
            #expect(found >= .microseconds(exact) && found <= .microseconds(exact) * 1.01)
        }
    }

    @Test(arguments: [1, 2, 127, 128, 255, 256, 257, 511, 512, 1_000_003, 3_600_000_000, 4_294_967_295] as [Int64])
    func oneTimeIsItself(_ time: Int64) {
        var histogram = TimeHistogram()
        histogram.record(.microseconds(time))
        for share in [0, 0.5, 1] { #expect(histogram.percentile(share) == .microseconds(time)) }
    }

    @Test func neighboursBelow256AreTold() {
        var histogram = TimeHistogram()
        for time in 1...255 { histogram.record(.microseconds(time)) }
        #expect(histogram.percentile(0.5) == .microseconds(128))
        #expect(histogram.percentile(1) == .microseconds(255))
    }

    @Test func whatIsOutOfRangeIsHeldAtItsEnds() {
        var histogram = TimeHistogram()
        #expect(histogram.percentile(0.5) == nil)
        histogram.record(.zero)
        histogram.record(.seconds(100_000))
        #expect(histogram.percentile(0.5) == .microseconds(1))
        #expect(histogram.percentile(1) == .microseconds(4_294_967_295))
    }
}
