// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import PacketPump

/// A packet counts for the step of the schedule that holds when it comes.
struct HitCounterTests {
    private static let second: Int64 = 1_000_000_000

    private func arrivals(_ uplink: UInt64, _ downlink: UInt64) -> HitCounter.Arrivals {
        var arrivals = HitCounter.Arrivals()
        (arrivals.uplink, arrivals.downlink) = (uplink, downlink)
        return arrivals
    }

    /// Steps at 1 s, of the uplink, at 2 s, of the downlink, and at 3 s, of both.
    private func conditions(repeated period: Duration?) -> PreparedPipelines {
        var steps = [1, 2, 3].map { Schedule.Step(at: .seconds($0)) }
        steps[0].uplink = Impairments()
        steps[1].downlink = Impairments()
        var conditions = PumpConditions(seed: 1)
        conditions.schedule = Schedule(steps: steps, repeat: period)
        return PreparedPipelines(conditions, PumpConfiguration())
    }

    /// The counts of packets that come one a second and direction, the first at half a second.
    private func counts(after seconds: Int64, repeated period: Duration?) -> [UInt64]? {
        let conditions = conditions(repeated: period)
        var counter = HitCounter()
        counter.use(conditions, after: arrivals(100, 100))
        for count in 0..<UInt64(seconds) {
            let now = conditions.start + Int64(count) * Self.second + Self.second / 2
            if now >= counter.nextStep { counter.advance(to: now, arrivals(100 + count, 100 + count)) }
        }
        #expect(counter.packets(of: arrivals(100 + UInt64(seconds), 100 + UInt64(seconds))) == 2 * UInt64(seconds))
        return counter.scheduleSteps(arrivals(100 + UInt64(seconds), 100 + UInt64(seconds)))
    }

    @Test func countsByTheTimeAndTheDirectionOfAStep() {
        #expect(counts(after: 0, repeated: nil) == [0, 0, 0])
        #expect(counts(after: 1, repeated: nil) == [0, 0, 0])
        #expect(counts(after: 2, repeated: nil) == [1, 0, 0])
        #expect(counts(after: 3, repeated: nil) == [1, 1, 0])
        #expect(counts(after: 10, repeated: nil) == [1, 1, 14])
    }

    /// In the first second of each round, the profile's own figures hold.
    @Test func countsEachRound() {
        #expect(counts(after: 4, repeated: .seconds(4)) == [1, 1, 2])
        #expect(counts(after: 5, repeated: .seconds(4)) == [1, 1, 2])
        #expect(counts(after: 8, repeated: .seconds(4)) == [2, 2, 4])
    }

    @Test func countsNothingOfOtherConditions() {
        var counter = HitCounter()
        counter.use(conditions(repeated: nil), after: arrivals(0, 0))
        counter.use(PreparedPipelines(PumpConditions(seed: 1), PumpConfiguration()), after: arrivals(7, 7))
        #expect(counter.packets(of: arrivals(7, 8)) == 1)
        #expect(counter.scheduleSteps(arrivals(7, 8)) == nil && counter.nextStep == .max)
    }
}
