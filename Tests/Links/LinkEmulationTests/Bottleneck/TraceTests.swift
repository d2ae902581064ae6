// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

@Suite struct TraceTests {
    private static func conditions(
        _ lines: String,
        _ format: TraceReference.Format,
        loop: Bool = true,
        _ change: (inout Impairments) -> Void = { _ in }
    ) throws -> LaneConditions {
        var impairments = Impairments()
        let reference = TraceReference(file: "test", format: format, loop: loop)
        impairments.trace = reference
        impairments.queue = .packets(1_000_000)
        change(&impairments)
        return LaneConditions(impairments, traces: [reference: try Trace(lines, format: format)])
    }

    /// Whole milliseconds at which the frames of a burst have been sent.
    private static func burst(_ conditions: LaneConditions, _ count: Int, bytes: Int = 1514) -> [Int64] {
        Run(conditions).with {
            $0.packets = count
            $0.gap = 0
            $0.frameBytes = bytes
        }.survivors.map { $0.nanoseconds / 1_000_000 }
    }

    @Test func sendsAFullPacketAChance() throws {
        let conditions = try Self.conditions("2\n2\n3\n7", .mahimahi)
        #expect(Self.burst(conditions, 9) == [2, 2, 3, 7, 9, 9, 10, 14, 16])
    }

    @Test func twelveMegabitIsALineOfOne() throws {
        #expect(Self.burst(try Self.conditions("1", .mahimahi), 1000) == Array(1...1000))
    }

    /// With mahimahi's 4 bytes ahead of them, five packets of 300 bytes are 16 bytes longer than a chance.
    @Test func sharesAChanceAndCarriesOnInTheNext() throws {
        let conditions = try Self.conditions("1\n5", .mahimahi)
        #expect(Self.burst(conditions, 8, bytes: 314) == [1, 1, 1, 1, 5, 5, 5, 5])
        // 9014 bytes take six chances and a bit.
        #expect(Self.burst(conditions, 2, bytes: 9014) == [15, 30])
    }

    @Test func losesUnusedOpportunities() throws {
        let run = Run(try Self.conditions("1\n1\n1\n5", .mahimahi)).with {
            $0.gap = 10_000_000
            $0.packets = 3
        }
        #expect(run.survivors.map { $0.nanoseconds / 1_000_000 } == [1, 11, 21])
    }

    /// Like mahimahi, which first skips the opportunities of a millisecond and then takes its packets.
    @Test func takesNoChanceOfTheMomentOfArrival() throws {
        let run = Run(try Self.conditions("3\n5", .mahimahi)).with {
            $0.gap = 3_000_000
            $0.packets = 2
        }
        #expect(run.survivors.map { $0.nanoseconds / 1_000_000 } == [3, 5])
    }

    @Test func endsWithTheLastChanceWhereItDoesNotLoop() throws {
        let conditions = try Self.conditions("1\n4", .mahimahi, loop: false)
        #expect(Self.burst(conditions, 5) == [1, 4])
        let late = Run(conditions).with {
            $0.gap = 10_000_000
            $0.packets = 5
        }
        #expect(late.survivors.map(\.tag) == [0])
    }

    @Test func countsAChanceAtZeroInEveryRound() throws {
        let conditions = try Self.conditions("0\n2", .mahimahi)
        // At the start there are no earlier packets.
        #expect(Self.burst(conditions, 4) == [2, 2, 4, 4])
    }

    @Test func passesAPauseOf78Seconds() throws {
        let lines = (1...1000).map(String.init) + (79_320...80_319).map(String.init)
        let conditions = try Self.conditions(lines.joined(separator: "\n"), .mahimahi)
        let times = Self.burst(conditions, 4001)
        #expect(times[999] == 1000)
        #expect(times[1000] == 79_320)
        #expect(times[1999] == 80_319)
        #expect(times[4000] == 2 * 80_319 + 1)
    }

    @Test func holdsEachRateUntilTheNext() throws {
        let conditions = try Self.conditions("0 1\n0.1 0\n0.15 2\n0.4 9", .secondsMbit)
        let times = Self.burst(conditions, 750, bytes: 1000)
        // As the schedule of the same rates: the last line only ends the round.
        #expect(times[74] == 400)
        #expect(times[11] == 96)
        #expect(times[12] == 152)
        #expect(times[749] == 4000)
    }

    @Test func staysAtTheLastRateWhereItDoesNotLoop() throws {
        let conditions = try Self.conditions("0 1\n0.1 8", .secondsMbit, loop: false)
        let times = Self.burst(conditions, 1012, bytes: 1000)
        #expect(times[1011] == 100 + 999)
    }

    @Test func sendsNothingBeforeTheFirstRate() throws {
        let conditions = try Self.conditions("0.1 8\n0.2 8", .secondsMbit)
        #expect(Self.burst(conditions, 2, bytes: 1000) == [101, 102])
        #expect(Self.burst(conditions, 101, bytes: 1000).last == 301)
    }

    @Test func takesAConstantRateFromASingleLine() throws {
        #expect(Self.burst(try Self.conditions("0 8", .secondsMbit), 50, bytes: 1000).last == 50)
    }

    @Test func survivesATraceThatSendsNothing() throws {
        #expect(Self.burst(try Self.conditions("0 0\n1 5", .secondsMbit), 3).isEmpty)
    }

    @Test func holdsATraceByASchedule() throws {
        var conditions = try Self.conditions("1", .mahimahi)
        var hold = LaneConditions.Step(at: .milliseconds(10), overrides: Impairments())
        hold.overrides.rate = BitRate(bitsPerSecond: 0)
        conditions.steps = [hold, .init(at: .milliseconds(25), overrides: Impairments())]
        #expect(Self.burst(conditions, 15) == Array(1...9) + Array(25...30))
    }

    /// A frame that half a chance has sent goes on at the rate of the step.
    @Test func goesOnFromATraceAtARate() throws {
        var conditions = try Self.conditions("1", .mahimahi)
        var fast = LaneConditions.Step(at: .microseconds(1500), overrides: Impairments())
        fast.overrides.rate = BitRate(bitsPerSecond: 8_000_000)
        conditions.steps = [fast]
        let times = Run(conditions).with {
            $0.packets = 2
            $0.gap = 0
            $0.frameBytes = 2010
        }.survivors.map(\.nanoseconds)
        // 2000 bytes, of which a chance sends 1504: the other 496 take 496 us, and the next frame 2010.
        #expect(times == [1_996_000, 4_006_000])
    }

    @Test func sizesTheBufferByTheMeanRate() throws {
        // 12 Mbit/s on average; 300 ms of them are 450 kB.
        let conditions = try Self.conditions("1", .mahimahi) { $0.queue = nil }
        #expect(Self.burst(conditions, 1000, bytes: 1000).count == 450)
    }
}
