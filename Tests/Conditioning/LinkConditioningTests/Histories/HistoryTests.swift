// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import TestKit
import Testing

@testable import LinkConditioning
@testable import TrafficControl

/// Random sequences of commands, two at a time, with kills at any request to the machine and restarts, on a simulated
/// kernel, file system and clock. The session, the recovery and the guardian's loop are the real ones.
@Suite struct HistoryTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of steps, each a command or two; LINKCOND_HISTORIES is another.
    private static let steps =
        environment["LINKCOND_HISTORIES"].flatMap { Int($0) } ?? Extent.choose(once: 200, all: 500, soak: 1_000_000)
    private static let length = 25
    /// After how many failures it ends.
    private static let longestReport = 3

    /// Why a history fails, and at which step; nil if it does not.
    private static func failure(of steps: [HistoryStep], seed: UInt64) -> (index: Int, reason: String)? {
        let run = HistoryRun(seed: seed)
        defer { run.host.killAll() }
        var index = 0
        do {
            for step in steps {
                try run.perform(step)
                index += 1
            }
            try run.finish()
            return nil
        } catch {
            return (index, "\(error)")
        }
    }

    /// The fewest steps, each as simple as possible, that are found in 20 s and still fail.
    private static func shrunk(_ steps: [HistoryStep], seed: UInt64) -> [HistoryStep] {
        var steps = steps
        var size = max(steps.count / 2, 1)
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            var hasShrunk = false
            var start = 0
            while start < steps.count, ContinuousClock.now < deadline {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                if failure(of: fewer, seed: seed) != nil {
                    steps = fewer
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { break }
            size = max(size / 2, 1)
        }
        for index in steps.indices {
            guard case .both(let one, let other) = steps[index] else { continue }
            for single in [one, other] where ContinuousClock.now < deadline {
                var simpler = steps
                simpler[index] = .command(single)
                if failure(of: simpler, seed: seed) != nil { steps = simpler }
            }
        }
        return steps
    }

    private static func history(_ seed: UInt64) -> [HistoryStep] {
        var random = SeededGenerator(seed: seed)
        return (0..<length).map { _ in .random(&random) }
    }

    private static func report(_ steps: [HistoryStep], seed: UInt64) {
        let short = shrunk(steps, seed: seed)
        let failure = failure(of: short, seed: seed)
        let lines = short.enumerated().map { "  \($0.offset + 1). \($0.element)" }.joined(separator: "\n")
        Issue.record(
            "seed \(seed):\n\(lines)\nafter step \((failure?.index ?? 0) + 1): \(failure?.reason ?? "nothing")"
        )
    }

    @Test func endAsAModelSays() {
        // The seed of one history, as a failure prints it.
        let first = Self.environment["LINKCOND_HISTORY_SEED"].flatMap { UInt64($0) }
        let count = first == nil ? max(Self.steps / Self.length, 1) : 1
        let failures = Mutex<[UInt64]>([])
        DispatchQueue.concurrentPerform(iterations: count) { number in
            guard failures.withLock({ $0.count < Self.longestReport }) else { return }
            let seed = first ?? UInt64(number + 1)
            if Self.failure(of: Self.history(seed), seed: seed) != nil { failures.withLock { $0.append(seed) } }
        }
        for seed in failures.withLock({ $0 }).sorted() { Self.report(Self.history(seed), seed: seed) }
    }

    /// Histories that went wrong once.
    private func expectToHold(_ steps: [HistoryStep]) {
        if let failure = Self.failure(of: steps, seed: 1) {
            Issue.record("step \(failure.index + 1): \(failure.reason)")
        }
    }

    private func command(_ verb: HistoryCommand.Verb, _ interface: String? = "a0") -> HistoryStep {
        .command(HistoryCommand(verb: verb, interface: interface))
    }

    @Test func aRunThatEndsLeavesARuleThatWasAppliedAfterAReset() {
        expectToHold([
            command(.run("Slow Net", "everything")), command(.reset),
            command(.apply("Delay 10", "everything", limit: nil, confirm: nil)), .endRun(killed: false),
        ])
    }

    @Test func aRunThatEndsLeavesALaterRunsRule() {
        expectToHold([
            command(.run("Slow Net", "everything")), command(.off), command(.run("Delay 10", "everything")),
            .endRun(killed: false),
        ])
    }

    @Test(arguments: [
        HistoryStep.replace("a0", sameIndex: true), .replace("a0", sameIndex: false), .reboot(keepsFiles: true),
        .reboot(keepsFiles: false),
    ])
    func nothingIsPutBackOnAnotherInterfaceOrAfterARestart(event: HistoryStep) {
        let apply = HistoryCommand.Verb.apply("Slow Net", "everything", limit: nil, confirm: nil)
        expectToHold([command(apply), command(.off), event, command(.on), command(.status, nil)])
        expectToHold([command(apply), event, command(.status, nil), command(apply), command(.off), command(.on)])
    }

    @Test func aGuardianLeavesALaterRule() {
        let timed = HistoryCommand.Verb.apply("Slow Net", "everything", limit: 40, confirm: nil)
        let lasting = HistoryCommand.Verb.apply("Delay 10", "everything", limit: nil, confirm: nil)
        expectToHold([command(timed), command(lasting), .wait(60), command(.status, nil)])
        expectToHold([command(timed), command(.reset), command(lasting), .wait(60), command(.status, nil)])
        expectToHold([command(timed), command(.change("Delay 10", "everything")), .wait(60), command(.status, nil)])
    }

    /// It waits for the lock when the rule's time comes, and finds that the rule has another one.
    @Test(arguments: 0..<20) func aGuardianStaysWithARuleThatIsRenewedAtItsTime(offset: Int) throws {
        let run = HistoryRun(seed: UInt64(offset))
        defer { run.host.killAll() }
        try run.perform(command(.apply("Slow Net", "everything", limit: 40, confirm: nil)))
        let deadline = try #require(run.states["a0"]?.first?.rules.first?.until?.lowerBound)
        run.host.run(until: deadline - .microseconds(500 * offset))
        try run.perform(command(.apply("Delay 10", "everything", limit: 600, confirm: nil)))
        try run.perform(.wait(10))
        #expect(try run.observe("a0").rules.map(\.profile) == ["Delay 10"])
    }

    @Test func aRunThatEndsRemovesItsRuleThatWasSwitched() {
        expectToHold([
            command(.run("Slow Net", "everything")), command(.change("Delay 10", "everything")), .endRun(killed: false),
        ])
    }

    @Test(arguments: [HistoryCommand.Verb.on, .off]) func onAndOffRepairWhereThereIsNothingToDo(
        verb: HistoryCommand.Verb
    ) {
        expectToHold([
            command(.apply("Delay 10", "everything", limit: nil, confirm: 20)), .killGuardian, command(.on, nil),
        ])
        for request in stride(from: 20, to: 60, by: 4) {
            let apply = HistoryCommand.Verb.apply("Delay 10", "everything", limit: nil, confirm: nil)
            expectToHold([
                .command(HistoryCommand(verb: apply, interface: "a0", killedAt: request)), command(verb, nil),
            ])
        }
    }

    /// While a rule is replaced, the kernel may seem to have none.
    @Test func offFindsARuleThatIsBeingSwitched() {
        let apply = HistoryCommand.Verb.apply("Delay 10", "everything", limit: nil, confirm: nil)
        let change = HistoryCommand(verb: .change("Black Hole", "everything"), interface: "a0")
        let steps = [command(apply), .both(HistoryCommand(verb: .off, interface: nil), change)]
        for seed in 0..<400 {
            guard let failure = Self.failure(of: steps, seed: UInt64(seed)) else { continue }
            Issue.record("seed \(seed): \(failure.reason)")
            return
        }
    }

    /// What cannot be put back beside another program's filters leaves no lane, and the user is told.
    @Test func aRuleThatCannotBePutBackIsRemovedAndNamed() throws {
        let apply = { HistoryCommand.Verb.apply($0, "port 443", limit: nil, confirm: nil) }
        var named = 0
        for request in stride(from: 30, to: 90, by: 3) {
            let run = HistoryRun(seed: 1)
            defer { run.host.killAll() }
            try run.perform(command(apply("Delay 10"), "b0"))
            let killed = HistoryCommand(verb: apply("Slow Net"), interface: "b0", killedAt: request)
            try run.perform(.command(killed))
            try run.perform(.foreign(true))
            let notes = Mutex<[String]?>(nil)
            _ = run.host.start("status", on: nil, killedAt: nil) { process in
                let found = (try? InterfaceConditioner(on: process, command: "status"))?.recover()
                notes.withLock { $0 = found }
            }
            run.host.run(until: run.host.now + .seconds(60)) { notes.withLock { $0 != nil } }
            if notes.withLock({ $0?.joined().contains("\"Delay 10\" is removed, since b0") == true }) { named += 1 }
            #expect(try run.observe("b0").problem == nil)
        }
        #expect(named > 0)
    }

    /// The rule of a switch that was killed, as was the command that repaired it, and whose time is over then.
    @Test func whatIsOverIsNotPutBack() {
        for request in stride(from: 52, to: 64, by: 2) {
            for repair in 24..<36 {
                let change = HistoryCommand.Verb.change("Slow Net", "port 443")
                let next = HistoryCommand.Verb.apply("Slow Net", "everything", limit: nil, confirm: 20)
                expectToHold([
                    command(.apply("Delay 10", "port 443", limit: 40, confirm: nil)),
                    .command(HistoryCommand(verb: change, interface: "a0", killedAt: request)), .killGuardian,
                    .command(HistoryCommand(verb: next, interface: "a0", killedAt: repair)),
                ])
            }
        }
    }

    /// Its maker is the run, which lives on.
    @Test func lanesOfARunThatAKilledCommandWasPuttingBackAreRemoved() {
        for request in 30..<60 {
            expectToHold([
                command(.run("Delay 10", "port 443")), command(.off, nil),
                .command(HistoryCommand(verb: .on, interface: nil, killedAt: request)), command(.confirm),
            ])
        }
    }

    /// The commands that change an interface, each with what precedes it.
    static let changes: [[HistoryCommand.Verb]] = {
        let apply = HistoryCommand.Verb.apply("Slow Net", "everything", limit: nil, confirm: nil)
        let timed = HistoryCommand.Verb.apply("Delay 10", "port 443", limit: 40, confirm: nil)
        let change = HistoryCommand.Verb.change("Delay 10", "everything")
        let none = HistoryCommand.Verb.change("Nothing", "everything")
        return [
            [apply], [timed], [apply, change], [apply, none], [apply, timed, .reset], [apply, timed, .off],
            [apply, .off, .on], [apply, apply], [timed, apply], [.run("Slow Net", "everything")],
            [.run("Slow Net", "everything"), .reset], [.run("Slow Net", "everything"), timed, .reset],
        ]
    }()

    /// The last command is killed at each of its requests; the next one repairs.
    @Test(arguments: changes, ["a0", "lo"])
    func areRepairedWhicheverRequestWasTheLast(verbs: [HistoryCommand.Verb], interface: String) {
        let step = Extent.choose(once: 37, all: 11, soak: 1)
        repairsEach(stride(from: min(step, 3), to: 400, by: step), of: verbs, on: interface)
    }

    /// The same where the kernel cannot redirect packets, and netem is the root qdisc.
    @Test func areRepairedAtTheRootWhicheverRequestWasTheLast() {
        let apply = HistoryCommand.Verb.apply("Uplink 10", "everything", limit: nil, confirm: nil)
        let timed = HistoryCommand.Verb.apply("Uplink 10", "everything", limit: 40, confirm: nil)
        let run = HistoryCommand.Verb.run("Uplink 10", "everything")
        for verbs in [[apply], [timed], [apply, .reset], [timed, .off], [apply, .off, .on], [run], [run, .reset]] {
            repairsEach(stride(from: 1, to: 400, by: 1), of: verbs, on: "a0") { $0.canRedirect = false }
        }
    }

    @Test(arguments: [HistoryCommand.Verb.reset, .off]) func areWholeWhereTheKernelIsShortOfMemoryOnce(
        verb: HistoryCommand.Verb
    ) throws {
        let run = HistoryRun(seed: 1)
        defer { run.host.killAll() }
        try run.perform(command(.apply("Slow Net", "everything", limit: nil, confirm: nil)))
        run.host.kernel.refusedDeletions = 1
        try run.perform(command(verb))
        #expect(run.host.kernel.refusedDeletions == 0)
        #expect(!run.host.kernel.devices.contains { $0.name.hasPrefix("lc") })
        try run.finish()
    }

    private func repairsEach(
        _ requests: StrideTo<Int>,
        of verbs: [HistoryCommand.Verb],
        on interface: String,
        _ change: (inout KernelFacts) -> Void = { _ in }
    ) {
        for request in requests {
            let run = HistoryRun(seed: UInt64(request))
            change(&run.host.facts)
            defer { run.host.killAll() }
            do {
                for verb in verbs.dropLast() { try run.perform(command(verb, interface)) }
                var last = HistoryCommand(verb: verbs[verbs.count - 1], interface: interface)
                last.killedAt = request
                try run.perform(.command(last))
                let wasKilled = run.lastWasKilled
                try run.perform(command(.status, nil))
                try run.finish()
                if !wasKilled { return }
            } catch {
                Issue.record("\(verbs), killed at request \(request): \(error)")
                return
            }
        }
        Issue.record("does not run through")
    }
}
