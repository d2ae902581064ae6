// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkRules
import LinuxSystem
import TestKit

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import Netlink
@testable import TrafficControl

/// Carries a history out on a simulated host, and compares the host with the model after each step.
final class HistoryRun {
    let host: SimulatedHost
    /// The states in which an interface may be.
    var states: [String: Set<HistoryModel>] = HistoryRun.bare
    /// The interfaces for which a process was killed, and that no command has repaired since.
    var broken: Set<String> = []
    /// The interfaces whose hook another program has used.
    var shared: Set<String> = []
    /// The interfaces that were made anew: a run that lives on deletes the lanes of the earlier one when it ends.
    var remade: Set<String> = []
    var runs: [Run] = []
    var nextIndex: Int32 = 7010
    var boots = 1
    var isForeign = false
    var requests = 0
    var lastWasKilled = false

    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    final class Run: @unchecked Sendable {
        let interface: String
        let traffic: String
        var process: SimulatedProcess?
        var mayEnd = false

        init(_ interface: String, _ traffic: String) { (self.interface, self.traffic) = (interface, traffic) }
    }

    final class Attempt: @unchecked Sendable {
        let command: HistoryCommand
        var process: SimulatedProcess?
        var result: HistoryResult?
        var report: StatusReport?
        /// Whether there was nothing to take off or to put back.
        var didNothing = false

        /// Whether it has opened an interface for certain, and so repaired it. What finds nothing to do repairs no interface
        /// that another process is changing, which may be killed.
        ///
        /// - Parameter isAlone: whether no command beside it was killed, and no other process had the interface.
        func covers(_ name: String, isAlone: Bool) -> Bool {
            guard case .success? = result else { return false }
            switch command.verb {
            case .on, .off: return didNothing && isAlone
            case .status: return isAlone
            case .confirm: return command.interface == name
            default: return command.interface == nil || command.interface == name
            }
        }

        init(_ command: HistoryCommand) { self.command = command }
    }

    private static let bare: [String: Set<HistoryModel>] = [
        "a0": [HistoryModel()], "b0": [HistoryModel()], "lo": [HistoryModel()],
    ]

    init(seed: UInt64) {
        host = SimulatedHost(seed: seed)
        boot()
    }

    func boot() {
        host.kernel = SimulatedKernel()
        host.kernel.devices = [
            .init(index: 1, name: "lo", mtu: 65536, isUp: true),
            .init(index: 7001, name: "a0", address: [2, 0, 0, 0, 0, 1], isUp: true),
            .init(index: 7002, name: "b0", address: [2, 0, 0, 0, 0, 2], isUp: true),
        ]
        shared = []
        remade = []
        if isForeign { addForeign() }
    }

    // MARK: Steps

    func perform(_ step: HistoryStep) throws {
        switch step {
        case .command(let command): try perform([command])
        case .both(let one, let other): try perform([one, other])
        case .wait(let seconds): host.run(until: host.now + .seconds(seconds))
        case .endRun(let killed):
            guard let run = runs.first else { return }
            runs.removeFirst()
            run.mayEnd = true
            if killed, let process = run.process { host.kill(process) }
            settle()
            let ends = { (rule: HistoryModel.Rule) in rule.run == run.process?.process.processID }
            states[run.interface] = Set((states[run.interface] ?? []).flatMap { $0.ending(ends) })
            if run.process?.isDead == false, run.process?.hasEnded == true { try requireGone(of: run) }
        case .killGuardian:
            guard let guardian = host.processes.first(where: { $0.isGuardian && !$0.isDead }) else { return }
            host.kill(guardian)
            settle()
        case .reboot(let keepsFiles):
            host.killAll()
            runs = []
            boots += 1
            host.bootID = "boot-\(boots)"
            if !keepsFiles { host.files = [:] }
            boot()
            states = HistoryRun.bare
            broken = []
            host.deaths = []
        case .replace(let name, let sameIndex):
            guard let old = host.kernel.devices.first(where: { $0.name == name }) else { return }
            host.kernel.delete(old.index)
            nextIndex += 1
            let index = sameIndex ? old.index : nextIndex
            host.kernel.devices.append(
                .init(
                    index: index,
                    name: name,
                    address: [2, 0, 0, 1, 0, UInt8(truncatingIfNeeded: nextIndex)],
                    isUp: true
                )
            )
            states[name] = [HistoryModel()]
            broken.insert(name)
            shared.remove(name)
            remade.insert(name)
            if isForeign {
                removeForeign()
                addForeign()
            }
            settle()
        case .foreign(let adds):
            removeForeign()
            isForeign = adds
            if adds { addForeign() }
            // A rule that was interrupted cannot be put back beside another program's filters.
            guard adds, broken.contains("b0") else { break }
            states["b0"] = Set((states["b0"] ?? []).flatMap { $0.ending { _ in true } })
        case .traffic(let holds): host.kernel.isBusy = holds
        }
        if host.isStuck { throw Violation(description: "processes do not come to rest") }
        try check()
    }

    func settle() { host.run(until: host.now + .seconds(60)) { true } }

    func perform(_ commands: [HistoryCommand]) throws {
        let before = states
        let start = host.now
        let others = host.processes.count
        var changing = Set(states.keys.filter(isBeingChanged))
        let attempts = commands.map { Attempt($0) }
        for attempt in attempts {
            attempt.process = host.start(
                "\(attempt.command)",
                on: attempt.command.interface,
                killedAt: attempt.command.killedAt
            ) {
                self.perform(attempt, $0)
            }
        }
        host.run(until: host.now + .seconds(600)) {
            attempts.allSatisfy { $0.result != nil || $0.process?.hasEnded == true }
        }
        for attempt in attempts where attempt.process?.isDead == true {
            if case .run = attempt.command.verb, attempt.result != nil { continue }
            attempt.result = .killed
        }
        lastWasKilled = attempts.contains { $0.process?.isDead == true }
        changing.formUnion(states.keys.filter(isBeingChanged))
        let span = start...host.now
        for attempt in attempts {
            if attempt.result == nil { throw Violation(description: "\(attempt.command) does not end") }
        }
        if attempts.count == 1 { try checkFailure(attempts[0], before, isAlone: others == 0) }
        for name in states.keys.sorted() {
            let meant = attempts.filter { $0.command.interface == nil || $0.command.interface == name }
            var possible: Set<HistoryModel> = []
            for order in [meant, meant.reversed()] {
                var reached = before[name] ?? []
                for attempt in order {
                    reached = Set(
                        reached.flatMap { expired($0) }.flatMap { state in
                            state.after(
                                attempt.command,
                                attempt.result ?? .killed,
                                span,
                                process: attempt.process?.process.processID ?? 0
                            ) {
                                host.isAlive($0)
                            }
                        }
                    )
                }
                possible.formUnion(reached)
            }
            if possible.isEmpty {
                throw Violation(
                    description:
                        "\(name): \(meant.map { "\($0.command): \($0.result.map { "\($0)" } ?? "")" }) cannot be from \(before[name] ?? [])"
                )
            }
            states[name] = possible
            let isAlone = (attempts.count == 1 || !lastWasKilled) && !changing.contains(name)
            if attempts.contains(where: { $0.covers(name, isAlone: isAlone) }) { broken.remove(name) }
        }
        for attempt in attempts {
            guard let report = attempt.report, attempts.count == 1 else { continue }
            // A guardian may end a rule right after it was read.
            for name in states.keys.sorted() where !changing.contains(name) {
                let told =
                    report.devices.first { $0.interface == name }?.rules.map { "'\($0.profile ?? "")' [\($0.traffic)]" }
                    ?? []
                let found = try observe(name).rules.map { "'\($0.profile)' [\($0.traffic)]" }
                guard Set(told) == Set(found) else {
                    throw Violation(description: "status says \(told) of \(name), which has \(found)")
                }
            }
        }
    }

    /// In the command's process.
    func perform(_ attempt: Attempt, _ process: SimulatedProcess) {
        let command = attempt.command
        func request(_ profile: String, _ traffic: String) -> RuleRequest {
            var request = RuleRequest(
                profile: HistoryCommand.profiles[profile] ?? .slowNet,
                selection: Selection(traffic) ?? Selection(),
                origin: RuleRequest.Origin(
                    time: Int(host.now / .seconds(1)),
                    userID: 0,
                    processID: process.process.processID,
                    process: process.process
                )
            )
            request.engine = .netem
            return request
        }
        let name = command.interface
        do {
            let conditioner = try InterfaceConditioner(on: process, command: "\(command.verb)")
            switch command.verb {
            case .apply(let profile, let traffic, let limit, let confirm):
                var request = request(profile, traffic)
                request.limit = limit.map { .seconds($0) }
                request.confirmWithin = confirm.map { .seconds($0) }
                try conditioner.apply(request, on: name ?? "a0")
            case .change(let profile, let traffic):
                _ = try conditioner.change(on: name, for: Selection(traffic)) { _ in request(profile, traffic) }
            case .off: attempt.didNothing = try conditioner.suspend(name) == nil
            case .on: attempt.didNothing = try !conditioner.resume(name, readRecordings: { _ in [:] }, report: { _ in })
            case .reset: try conditioner.remove(from: name)
            case .confirm: _ = try conditioner.confirm(name)
            case .status: attempt.report = try conditioner.status(name)
            case .run(let profile, let traffic):
                let run = Run(name ?? "a0", traffic)
                var rule = try CommandRule(request(profile, traffic), on: name ?? "a0", of: process)
                _ = try rule.apply()
                guard !process.isDead else { return }
                run.process = process
                runs.append(run)
                attempt.result = .success
                process.wait(until: nil) { run.mayEnd }
                _ = try rule.remove()
                return
            }
            if !process.isDead { attempt.result = .success }
        } catch let error as ConditioningError {
            if !process.isDead, attempt.result == nil { attempt.result = .failure(error) }
        } catch {
            attempt.result = .failure(ConditioningError(.refused, "\(error)"))
        }
    }
}
