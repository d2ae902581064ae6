// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import LinkEmulation

/// When HyStart ends slow start: `hystart_update` in Linux' tcp_cubic.c.
@Suite struct SlowStartExitTests {
    /// The number of acknowledgements of one round after which slow start is over, at a round trip of 50 ms.
    private func acknowledgements(gap: Int64, added: Int64 = 0, window: Int = 40) -> Int? {
        var (exit, times) = (SlowStartExit(), RoundTripTimes())
        times.add(50_000_000)
        return (0..<60).first { index in
            let now = 1_000_000_000 + Int64(index) * gap
            return exit.isOver(UInt64(index), 1_000, 50_000_000 + added, at: now, times, window)
        }
    }

    /// Acknowledgements of a train come at the rate of the bottleneck: it is as long as the flight.
    @Test func endsWhenATrainLastsForHalfARoundTrip() {
        #expect(acknowledgements(gap: 1_000_000) == 26)
        #expect(acknowledgements(gap: 2_100_000) == nil)
    }

    @Test func endsWhenTheDelayHasGrownByAnEighth() {
        #expect(acknowledgements(gap: 3_000_000, added: 7_000_000) == 8)
        #expect(acknowledgements(gap: 3_000_000, added: 6_000_000) == nil)
    }

    /// The first packets of a flight find the queue empty that its last ones fill. Rounds that begin within a flight see
    /// the latter alone.
    @Test func countsRoundsFromTheFirstAcknowledgement() {
        var (exit, times) = (SlowStartExit(), RoundTripTimes())
        times.add(50_000_000)
        for (flight, numbers) in [0..<10, 10..<30, 30..<70, 70..<150].enumerated() {
            for number in numbers {
                let isInFirstHalf = number - numbers.lowerBound < numbers.count / 2
                let isOver = exit.isOver(
                    UInt64(number),
                    UInt64(10 + 2 * number),
                    isInFirstHalf ? 50_000_000 : 62_000_000,
                    at: Int64(number) * 3_000_000,
                    times,
                    10 + number
                )
                #expect(!isOver, "packet \(number) of flight \(flight)")
            }
        }
    }

    @Test func doesNotEndWithASmallWindow() {
        #expect(acknowledgements(gap: 1_000_000, added: 20_000_000, window: 15) == nil)
    }
}
