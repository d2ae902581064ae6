// SPDX-License-Identifier: Apache-2.0

import LinkVerification
import TestKit
import Testing

/// Clocks that are apart and drift, over ways that take their time.
@Suite struct ClockComparisonTests {
    /// Exchanges at several times with a clock that is `offset` ahead and gains `drift`, over ways of so many milliseconds.
    private func exchanges(
        offset: Int64,
        drift: Double = 0,
        ways: (up: Double, down: Double),
        jitter: Double = 0,
        seed: UInt64 = 1
    ) -> [[ClockExchange]] {
        var random = SeededGenerator(seed: seed)
        let origin: Int64 = 1_700_000_000_000_000_000
        return (0..<5).map { time in
            (0..<20).map { number in
                let asked = origin + Int64(time) * 10_000_000_000 + Int64(number) * 5_000_000
                func way(_ milliseconds: Double) -> Int64 {
                    Int64((milliseconds + Double.random(in: 0...max(jitter, 1e-9), using: &random)) * 1e6)
                }
                let came = asked + way(ways.up)
                let returned = came + 10_000 + way(ways.down)
                func theirs(_ ours: Int64) -> Int64 { ours + offset + Int64(Double(ours - origin) * drift) }
                return ClockExchange(
                    asked: asked,
                    came: theirs(came),
                    answered: theirs(came + 10_000),
                    returned: returned
                )
            }
        }
    }

    private func difference(_ clock: ClockComparison, offset: Int64, drift: Double, at seconds: Int64) -> Double {
        let ours = 1_700_000_000_000_000_000 + seconds * 1_000_000_000
        let theirs = ours + offset + Int64(Double(seconds) * 1e9 * drift)
        return Double(clock.ours(theirs) - ours)
    }

    @Test(arguments: [0, 123_456_789, -86_400_000_000_000, 315_360_000_000_000_000])
    func findsAnOffsetOverEqualWays(offset: Int64) throws {
        let clock = try #require(ClockComparison(exchanges(offset: offset, ways: (10, 10))))
        #expect((9e6...11e6).contains(clock.error))
        #expect(abs(difference(clock, offset: offset, drift: 0, at: 20)) < 1_000)
    }

    /// 50 ppm are 2 ms in 40 s.
    @Test func followsADrift() throws {
        let clock = try #require(ClockComparison(exchanges(offset: 5_000_000, drift: 5e-5, ways: (1, 1), jitter: 0.2)))
        for seconds: Int64 in [0, 20, 40] {
            let wrong = difference(clock, offset: 5_000_000, drift: 5e-5, at: seconds)
            #expect(abs(wrong) < 200_000, "\(seconds): \(wrong)")
        }
    }

    /// How the round trip divides is not known: the error covers all that is possible.
    @Test(arguments: [(50.0, 5.0), (0.0, 30.0), (30.0, 0.0), (7.0, 8.0)], 1...5)
    func neverPromisesMoreThanItKnows(ways: (Double, Double), seed: UInt64) throws {
        let times = exchanges(offset: 777_000, drift: -2e-5, ways: (ways.0, ways.1), jitter: 3, seed: seed)
        let clock = try #require(ClockComparison(times))
        for seconds: Int64 in [0, 20, 40] {
            let wrong = difference(clock, offset: 777_000, drift: -2e-5, at: seconds)
            #expect(abs(wrong) <= clock.error, "\(wrong) of \(clock.error)")
        }
    }

    @Test func believesSynchronizedClocksWhereTheyKnowMore() throws {
        let times = exchanges(offset: 0, ways: (50, 5))
        let clock = try #require(ClockComparison(times, synchronized: 100_000))
        #expect(clock.error == 100_000 && difference(clock, offset: 0, drift: 0, at: 20) == 0)
        let worse = try #require(ClockComparison(times, synchronized: 500_000_000))
        #expect(worse.error < 30_000_000)
        #expect(ClockComparison([[], []]) == nil && ClockComparison.same.error == 0)
    }

    /// A clock that is set on the way fits no line.
    @Test func doubtsAClockThatIsSet() throws {
        var times = exchanges(offset: 0, ways: (0.1, 0.1))
        times[4] = exchanges(offset: 20_000_000, ways: (0.1, 0.1))[4]
        let clock = try #require(ClockComparison(times))
        #expect(clock.error > 5_000_000)
    }
}
