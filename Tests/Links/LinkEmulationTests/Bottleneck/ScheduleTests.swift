// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

@Suite struct ScheduleTests {
    private static func step(_ milliseconds: Int64, _ change: (inout Impairments) -> Void) -> LaneConditions.Step {
        var overrides = Impairments()
        change(&overrides)
        return .init(at: .milliseconds(milliseconds), overrides: overrides)
    }

    private static func rate(_ bitsPerSecond: UInt64) -> (inout Impairments) -> Void {
        { $0.rate = BitRate(bitsPerSecond: bitsPerSecond) }
    }

    /// 1 Mbit/s; from 100 ms on nothing; from 150 ms on 2 Mbit/s; again after 400 ms where `repeats`.
    private static func run(repeats: Bool = false) -> Run {
        var run = Run(rate(1_000_000))
        run.conditions.base.queue = .packets(100_000)
        run.conditions.steps = [step(100, rate(0)), step(150, rate(2_000_000))]
        run.conditions.period = repeats ? .milliseconds(400) : nil
        run.frameBytes = 1000
        return run
    }

    /// One frame of 8 ms at 92 ms, and others that begin before the hold and end after it.
    @Test func addsUpTheRateOverAFrame() {
        let times = Self.run().with {
            $0.gap = 95_000_000
            $0.packets = 3
        }.survivors.map(\.nanoseconds)
        // The second frame sends 5 of its 8 kbit until 100 ms, waits until 150 ms, sends 3 at 2 Mbit/s.
        #expect(times == [8_000_000, 151_500_000, 194_000_000])
    }

    @Test func sendsWhatAllStepsTogetherAllow() {
        let times = Self.run(repeats: true).with {
            $0.gap = 0
            $0.packets = 6000
        }.survivors.map(\.nanoseconds)
        // A round sends 100 kbit and 500 kbit: 12.5 and 62.5 frames.
        #expect(times[74] == 400_000_000)
        #expect(times[75 * 79 + 74] == 400_000_000 * 80)
        #expect(times[75 * 10 + 11] == 400_000_000 * 10 + 96_000_000)
        #expect(times[75 * 10 + 12] == 400_000_000 * 10 + 152_000_000)
    }

    @Test func holdsTheLastStepWhereNothingRepeats() {
        let times = Self.run().with {
            $0.gap = 0
            $0.packets = 6000
        }.survivors.map(\.nanoseconds)
        #expect(times[5999] - times[5998] == 4_000_000)
        #expect(times[12] == 152_000_000)
    }

    @Test func findsItsPlaceAfterALongSilence() {
        let late = Self.run(repeats: true).with {
            // 30 days and 145 ms into a round: 55 ms short of 2 Mbit/s.
            $0.gap = 400_000_000 * 6_480_000 + 145_000_000
            $0.packets = 2
        }
        #expect(late.delays == [8_000_000, 9_000_000])
    }

    @Test func keepsPacketsThroughAHoldThatDoesNotEnd() {
        var conditions = Self.run().conditions
        conditions.steps.removeLast()
        conditions.base.queue = .packets(4)
        var pipeline = LinkPipeline(conditions, seed: 1, start: LinkTime(nanoseconds: 0))
        for tag in 0..<6 {
            _ = pipeline.accept(arrival: LinkTime(nanoseconds: 200_000_000), frameBytes: 1000, tag: UInt32(tag))
        }
        let dropped = (0..<2).map { _ in pipeline.popDeparture(upTo: .never) }
        #expect(dropped.map { $0?.drop } == [.outage, .outage])
        #expect(dropped.map { $0?.tag } == [4, 5])
        #expect(pipeline.popDeparture(upTo: .never) == nil)
        #expect(pipeline.nextDeparture == nil)
        #expect(pipeline.held == 4)
    }

    /// In a hold the buffer is as long as it was: 300 ms at 1 Mbit/s are 37 frames of 1000 bytes.
    @Test func keepsTheBufferThroughAHold() {
        let run = Self.run().with {
            $0.conditions.base.queue = .time(.milliseconds(300))
            $0.packets = 200
            $0.gap = 0
        }
        var pipeline = LinkPipeline(run.conditions, seed: 1, start: LinkTime(nanoseconds: 0))
        var fates: [Departure] = []
        let arrival = LinkPipeline.Arrival(time: LinkTime(nanoseconds: 120_000_000), frameBytes: 1000)
        pipeline.simulate(repeatElement(arrival, count: 200)) { fates.append($0) }
        #expect(fates.count { $0.drop == nil } == 37)
        #expect(fates.count { $0.drop == .outage } == 163)
        #expect(fates.last?.due == LinkTime(nanoseconds: 298_000_000))
    }

    @Test func holdsAnUnlimitedLinkToo() {
        let run = Run { $0.delay = .milliseconds(1) }.with {
            $0.conditions.steps = [Self.step(100, Self.rate(0)), Self.step(200) { _ in }]
            $0.packets = 300
        }
        #expect(run.survivors.count == 300)
        for (tag, delay) in run.delays.enumerated() {
            let held = max(0, 200 - (tag + 1))
            #expect(delay == 1_000_000 + Int64(tag + 1 >= 100 ? held : 0) * 1_000_000)
        }
    }

    @Test func overridesTheBaseAndNotTheStepBefore() {
        var run = Run {
            $0.delay = .milliseconds(1)
            $0.loss = .random(.zero)
        }
        run.conditions.steps = [
            Self.step(100) { $0.loss = .random(.one) }, Self.step(200) { $0.delay = .milliseconds(5) },
        ]
        run.conditions.period = .milliseconds(300)
        let survivors = Dictionary(uniqueKeysWithValues: run.survivors.map { ($0.tag, $0) })
        for tag in 0..<UInt32(run.packets) {
            let delay = survivors[tag].map { $0.nanoseconds - run.arrival(tag) }
            switch tag % 300 {
            // Packets in order wait for those that were slower.
            case 0..<4 where tag >= 300: #expect(delay == 5_000_000 - Int64(tag % 300 + 1) * 1_000_000)
            case ..<100: #expect(delay == 1_000_000)
            case ..<200: #expect(delay == nil)
            default: #expect(delay == 5_000_000)
            }
        }
    }

    @Test func addsTheDelayOfDNSToEveryStep() {
        var profile = Profile(name: "Test")
        profile.uplink = Impairments()
        profile.uplink?.delay = .milliseconds(1)
        profile.dns = DNSImpairment(delay: .milliseconds(10))
        var step = Schedule.Step(at: .milliseconds(100))
        step.uplink = Impairments()
        step.uplink?.delay = .milliseconds(2)
        step.downlink = Impairments()
        step.downlink?.delay = .milliseconds(77)
        profile.schedule = Schedule(steps: [step])
        let ends: (LaneConditions) -> [Int64?] = { conditions in
            let delays = Run(conditions).delays
            return [delays.first, delays.last]
        }
        #expect(ends(LaneConditions(profile, .uplink)) == [1_000_000, 2_000_000])
        #expect(ends(LaneConditions(profile, .dns)) == [11_000_000, 12_000_000])
        #expect(ends(LaneConditions(profile, .downlink)) == [0, 77_000_000])
    }

    /// Rates so small, or so short, that a frame takes millions of rounds are no trap.
    @Test func skipsRoundsThatDoNextToNothing() {
        var run = Run(Self.rate(1)).with { $0.packets = 1 }
        run.conditions.steps = [.init(at: .nanoseconds(1), overrides: Impairments())]
        run.conditions.steps[0].overrides.rate = BitRate(bitsPerSecond: 0)
        run.conditions.period = .nanoseconds(3)
        // 12112 bit at a bit every 3 s; the last unit of work is done in the first nanosecond of a round.
        #expect(run.survivors.map(\.nanoseconds) == [12_112 * 3_000_000_000 - 2])
        run.conditions.base.rate = BitRate(bitsPerSecond: 0)
        #expect(run.survivors.isEmpty)
    }
}
