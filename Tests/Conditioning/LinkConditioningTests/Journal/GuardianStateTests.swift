// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

/// The next step of a guardian.
@Suite struct GuardianStateTests {
    private static let ending = JournalEntry.Ending(guardian: .made(43), until: .seconds(600), confirmBy: .seconds(30))
    private static let rule = JournalEntry.Rule.made(.slowNet, ending: ending)
    private static let device: SimulatedDevice? = {
        var device = SimulatedDevice.ethernet
        return (try? device.apply(.slowNet)).map { _ in device }
    }()

    private func next(_ reading: JournalReading, _ device: SimulatedDevice? = Self.device, at seconds: Int) throws
        -> GuardianState.Step
    {
        var guardian = try #require(GuardianState(Self.rule))
        let state = try #require(device).state
        return try guardian.next(reading, state, now: .seconds(seconds))
    }

    @Test func waitsForTheEarlierTimeAndEnds() throws {
        let entry = JournalReading.entry(.made([Self.rule]))
        #expect(try next(entry, at: 0) == .wait(.seconds(30)))
        #expect(try next(entry, at: 30) == .end)
        var confirmed = Self.rule
        confirmed.ending?.confirmBy = nil
        #expect(try next(.entry(.made([confirmed])), at: 30) == .wait(.seconds(600)))
        #expect(try next(.entry(.made([confirmed])), at: 601) == .end)
    }

    @Test func leavesWhatIsNotItsOwn() throws {
        var others = Self.rule
        others.ending?.guardian = .made(44)
        var lasting = Self.rule
        lasting.ending = nil
        for rules in [[], [others], [lasting], [.made(.slowNet, "port 80", ending: Self.ending)]] {
            #expect(try next(.entry(.made(rules)), at: 601) == .leave)
        }
        #expect(GuardianState(lasting) == nil)
    }

    @Test func goesByTheKernelWhereTheJournalSaysNothing() throws {
        let unreadable = JournalReading.unreadable(SystemError(operation: "read", code: EIO))
        for reading in [JournalReading.absent, .damaged("truncated"), .otherBoot, .elsewhere, unreadable] {
            #expect(try next(reading, at: 0) == .wait(.seconds(30)))
            #expect(try next(reading, at: 31) == .end)
            #expect(try next(reading, .ethernet, at: 31) == .leave)
            var later = SimulatedDevice.ethernet
            try later.apply(.slowNet, time: 2000)
            #expect(try next(reading, later, at: 31) == .leave)
        }
    }

    /// A pump has a guardian as long as it runs, whether its rule has a time limit or not.
    @Test func staysWithAPump() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        var rule = JournalEntry.Rule.made(.slowNet, ending: JournalEntry.Ending(guardian: .made(43)))
        rule.engine = .userspace
        var guardian = try #require(GuardianState(rule))
        #expect(try guardian.next(.entry(.made([rule])), device.state, now: .seconds(9)) == .wait(nil))
        // A switch changes process and time in the lane aliases.
        try device.apply(.blackHole, time: 2000, engine: .userspace)
        #expect(try guardian.next(.damaged(""), device.state, now: .seconds(9)) == .wait(nil))
        #expect(try guardian.next(.absent, SimulatedDevice.ethernet.state, now: .seconds(9)) == .leave)
        #expect(try guardian.next(.entry(.made()), device.state, now: .seconds(9)) == .leave)
        rule.ending?.until = .seconds(8)
        #expect(try guardian.next(.entry(.made([rule])), device.state, now: .seconds(9)) == .end)
    }

    @Test func remembersWhatItSawLast() throws {
        var guardian = try #require(GuardianState(Self.rule))
        let state = try #require(Self.device).state
        var confirmed = Self.rule
        confirmed.ending?.confirmBy = nil
        #expect(try guardian.next(.entry(.made([confirmed])), state, now: .zero) == .wait(.seconds(600)))
        #expect(try guardian.next(.damaged(""), state, now: .zero) == .wait(.seconds(600)))
    }
}
