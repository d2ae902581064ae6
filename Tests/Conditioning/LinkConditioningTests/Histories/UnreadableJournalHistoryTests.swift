// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkConditioning

/// A journal of which an entry cannot be read or written, for a while or for good: commands and guardians on a simulated host.
@Suite struct UnreadableJournalHistoryTests {
    private static func command(_ verb: HistoryCommand.Verb, _ interface: String? = "a0") -> HistoryStep {
        .command(HistoryCommand(verb: verb, interface: interface))
    }

    private static func apply(limit: Int? = nil, confirm: Int? = nil) -> HistoryCommand.Verb {
        .apply("Slow Net", "everything", limit: limit, confirm: confirm)
    }

    private let run = HistoryRun(seed: 1)

    /// Performs steps while no guardian can read, for so many seconds.
    private func perform(_ steps: [HistoryStep], unreadable seconds: Int) throws {
        let end = run.host.now + .seconds(seconds)
        run.host.isUnreadable = { $0.isGuardian && $0.host.now < end }
        for step in steps { try run.perform(step) }
    }

    private func entry(of name: String) throws -> String {
        let index = try #require(run.host.kernel.devices.first { $0.name == name }?.index)
        let path = "\(SimulatedProcess.directory)/cookie1-\(index).entry"
        try #require(run.host.files[path] != nil)
        return path
    }

    @Test(arguments: [5, 3600]) func aGuardianEndsItsRuleAllTheSame(seconds: Int) throws {
        defer { run.host.killAll() }
        try run.perform(Self.command(Self.apply(limit: 40)))
        try run.perform(.wait(38))
        // For good, the entry stays: a later command repairs that.
        if seconds == 3600 { run.broken = ["a0"] }
        try perform([.wait(17)], unreadable: seconds)
        #expect(try run.observe("a0").rules.isEmpty)
        run.host.isUnreadable = { _ in false }
        try run.finish()
    }

    /// Ends the oldest `run` while no process can read, for so many seconds.
    private func endRun(unreadable seconds: Int) throws {
        let end = run.host.now + .seconds(seconds)
        run.host.isUnreadable = { $0.host.now < end }
        run.broken = ["a0"]
        try run.perform(.endRun(killed: false))
        try run.perform(.wait(30))
        run.host.isUnreadable = { _ in false }
    }

    @Test(arguments: 0..<4) func offKeepsItsRulesWhereTheDiskFillsUp(room: Int) throws {
        defer { run.host.killAll() }
        try run.perform(Self.command(Self.apply()))
        run.host.roomForFiles = room
        if room < 2 {
            // Refused, before anything is changed.
            #expect(throws: HistoryRun.Violation.self) { try run.perform(Self.command(.off)) }
            #expect(try run.observe("a0").rules.map(\.profile) == ["Slow Net"])
        } else {
            try run.perform(Self.command(.off))
        }
        run.host.roomForFiles = nil
        try run.perform(Self.command(.on))
        #expect(try run.observe("a0").rules.map(\.profile) == ["Slow Net"])
        try run.finish()
    }

    /// Its own rule was removed, and another command's applied.
    @Test(arguments: [1, 3600]) func aRunThatEndsLeavesALaterRule(seconds: Int) throws {
        defer { run.host.killAll() }
        try run.perform(Self.command(.run("Slow Net", "everything")))
        try run.perform(Self.command(.reset))
        try run.perform(Self.command(Self.apply()))
        try endRun(unreadable: seconds)
        #expect(try run.observe("a0").rules.count == 1)
        try run.finish()
    }

    @Test(arguments: [1, 3600]) func aRunThatEndsRemovesItsRule(seconds: Int) throws {
        defer { run.host.killAll() }
        try run.perform(Self.command(.run("Slow Net", "everything")))
        // For good, only the kernel says whose a rule is, which a switch changes.
        if seconds == 1 { try run.perform(Self.command(.change("Delay 10", "everything"))) }
        try endRun(unreadable: seconds)
        #expect(try run.observe("a0").rules.isEmpty)
        try run.finish()
    }

    /// It found the rule again and again: nothing could forget it.
    @Test(.timeLimit(.minutes(10))) func onEndsWhereARuleThatIsOverCannotBeForgotten() throws {
        defer { run.host.killAll() }
        for step in [Self.command(Self.apply(limit: 20)), Self.command(.off)] { try run.perform(step) }
        // The guardian cannot forget it either.
        run.host.isReadOnly = true
        run.broken = ["a0"]
        try run.perform(.wait(30))
        run.host.start("on", on: "a0") { process in
            let error = #expect(throws: ConditioningError.self) {
                let conditioner = try InterfaceConditioner(on: process, command: "on")
                _ = try conditioner.resume(readRecordings: { _ in [:] }, report: { _ in })
            }
            #expect(error?.code == .journal)
        }
        run.host.run(until: run.host.now + .seconds(60))
        run.host.isReadOnly = false
        #expect(try run.observe("a0").rules.isEmpty)
        try run.finish()
    }

    /// What it read last would have it end the rule.
    @Test func aGuardianKeepsARuleThatIsConfirmedMeanwhile() throws {
        defer { run.host.killAll() }
        try run.perform(Self.command(Self.apply(confirm: 20)))
        try run.perform(.wait(15))
        try perform([Self.command(.confirm), .wait(40)], unreadable: 7)
        #expect(try run.observe("a0").rules.count == 1)
        try run.finish()
    }

    /// No command repairs here.
    @Test(arguments: Array(stride(from: 1, to: 120, by: 3)))
    func aGuardianRepairsWhatAKilledCommandLeft(request: Int) throws {
        defer { run.host.killAll() }
        var killed = HistoryCommand(verb: Self.apply(limit: 600), interface: "a0")
        killed.killedAt = request
        try perform([.command(killed), .wait(20)], unreadable: 3)
        run.broken = []
        try run.check()
        try run.finish()
    }

    @Test(arguments: [true, false]) func noInterfaceIsHeldUpByTheEntryOfAnother(isDamaged: Bool) throws {
        defer { run.host.killAll() }
        for name in ["a0", "b0"] {
            try run.perform(Self.command(Self.apply(), name))
            try run.perform(Self.command(.off, name))
        }
        let path = try entry(of: "a0")
        if isDamaged { run.host.files[path]?.bytes = [1, 2, 3] } else { run.host.unreadableFile = path }
        run.broken = ["a0"]
        try run.perform(Self.command(.on, "b0"))
        #expect(try run.observe("b0").rules.count == 1)
        run.host.start("status", on: "b0") { process in
            let report = try? InterfaceConditioner(on: process, command: "status").status("b0")
            #expect(report?.devices.map(\.interface) == ["b0"] && report?.journalFailure == nil)
        }
        run.host.run(until: run.host.now + .seconds(60))
    }

    @Test(arguments: [HistoryCommand.Verb.on, .reset])
    func theEntryOfADeletedInterfaceIsDeleted(verb: HistoryCommand.Verb) throws {
        defer { run.host.killAll() }
        try run.perform(Self.command(Self.apply()))
        try run.perform(Self.command(.off))
        run.host.files[try entry(of: "a0")]?.bytes = [1, 2, 3]
        try run.perform(.replace("a0", sameIndex: false))
        try run.perform(Self.command(verb, nil))
        #expect(!run.host.files.keys.contains { $0.hasSuffix(".entry") })
    }
}
