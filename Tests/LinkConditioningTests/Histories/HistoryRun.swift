// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkRules
import LinuxSystem
import TestKit

@testable import LinkConditioning
@testable import Netlink
@testable import TrafficControl

/// Carries a history out on a simulated host, and compares the host with the model after each step.
final class HistoryRun {
    let host: SimulatedHost
    /// The states in which an interface may be.
    private var states: [String: Set<HistoryModel>] = HistoryRun.bare
    /// The interfaces for which a process was killed, and that no command has repaired since.
    private var broken: Set<String> = []
    /// The interfaces whose hook another program has used.
    private var shared: Set<String> = []
    private var runs: [Run] = []
    private var nextIndex: Int32 = 7010
    private var boots = 1
    private var isForeign = false
    private(set) var requests = 0
    private(set) var lastWasKilled = false

    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private final class Run: @unchecked Sendable {
        let interface: String
        let traffic: String
        var process: SimulatedProcess?
        var mayEnd = false

        init(_ interface: String, _ traffic: String) { (self.interface, self.traffic) = (interface, traffic) }
    }

    private final class Attempt: @unchecked Sendable {
        let command: HistoryCommand
        var process: SimulatedProcess?
        var result: HistoryResult?
        var report: StatusReport?
        /// Whether there was nothing to take off or to put back.
        var didNothing = false

        /// Whether it has opened an interface for certain, and so repaired it.
        func covers(_ name: String) -> Bool {
            guard case .success? = result else { return false }
            switch command.verb {
            case .on, .off: return didNothing
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

    private func boot() {
        host.kernel = SimulatedKernel()
        host.kernel.devices = [
            .init(index: 1, name: "lo", mtu: 65536, isUp: true),
            .init(index: 7001, name: "a0", address: [2, 0, 0, 0, 0, 1], isUp: true),
            .init(index: 7002, name: "b0", address: [2, 0, 0, 0, 0, 2], isUp: true),
        ]
        shared = []
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
            if isForeign {
                removeForeign()
                addForeign()
            }
            settle()
        case .foreign(let adds):
            removeForeign()
            isForeign = adds
            if adds { addForeign() }
        case .traffic(let holds): host.kernel.isBusy = holds
        }
        if host.isStuck { throw Violation(description: "processes do not come to rest") }
        try check()
    }

    private func settle() { host.run(until: host.now + .seconds(60)) { true } }

    private func perform(_ commands: [HistoryCommand]) throws {
        let before = states
        let start = host.now
        let others = host.processes.count
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
            if attempts.contains(where: { $0.covers(name) }) { broken.remove(name) }
        }
        for attempt in attempts {
            guard let report = attempt.report, attempts.count == 1 else { continue }
            for name in states.keys.sorted() {
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
    private func perform(_ attempt: Attempt, _ process: SimulatedProcess) {
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

    // MARK: The user's own objects

    private func addForeign() {
        host.kernel.devices.append(
            .init(index: 7900, name: "myifb", kind: "ifb", alias: Array("mine".utf8), isUp: true)
        )
        host.kernel.qdiscs += foreignQdiscs
        if let b0 = host.kernel.devices.first(where: { $0.name == "b0" }) {
            if !host.kernel.qdiscs.contains(where: { $0.link == b0.index && $0.parent == 0xFFFF_FFF1 }) {
                let kind = [11, 0, 1, 0] + Array("clsact".utf8) + [0, 0]
                host.kernel.qdiscs.append(
                    .init(link: b0.index, parent: 0xFFFF_FFF1, handle: 0xFFFF_0000, info: 0, attributes: kind)
                )
            }
            host.kernel.filters.append(foreignFilter(b0.index))
            shared.insert("b0")
        }
    }

    private var foreignQdiscs: [SimulatedKernel.Object] {
        let kind = [8, 0, 1, 0] + Array("htb".utf8) + [0]
        return ["a0", "myifb"].compactMap { name in host.kernel.devices.first { $0.name == name } }.map {
            .init(link: $0.index, parent: 0xFFFF_FFFF, handle: 0x10000, info: 0, attributes: kind)
        }
    }

    private func foreignFilter(_ link: Int32) -> SimulatedKernel.Object {
        let kind = [11, 0, 1, 0] + Array("flower".utf8) + [0, 0]
        return .init(link: link, parent: 0xFFFF_FFF2, handle: 1, info: 0x1_0300, attributes: kind)
    }

    private func removeForeign() {
        host.kernel.delete(7900)
        let added = foreignQdiscs
        host.kernel.qdiscs.removeAll(where: added.contains)
        host.kernel.filters.removeAll { $0.info == 0x1_0300 && $0.parent == 0xFFFF_FFF2 }
    }

    // MARK: Checks

    private func expired(_ state: HistoryModel) -> Set<HistoryModel> {
        state.ending { $0.deadlines.contains { $0.lowerBound <= host.now } }
    }

    private func checkFailure(_ attempt: Attempt, _ before: [String: Set<HistoryModel>], isAlone: Bool) throws {
        guard case .failure(let error)? = attempt.result else { return }
        let possible = attempt.command.interface.map { before[$0] ?? [] } ?? []
        func exists(_ traffic: String) -> (HistoryModel) -> Bool { { $0.rules.contains { $0.traffic == traffic } } }
        let isLegitimate =
            switch (attempt.command.verb, error.code) {
            case (.apply(_, let traffic, _, _), .busy):
                possible.contains { $0.rules.contains { $0.traffic == traffic && $0.run != nil } }
            case (.run(_, let traffic), .busy): possible.contains(where: exists(traffic))
            case (.change(_, let traffic), .ambiguous):
                !possible.allSatisfy(exists(traffic)) || !broken.isEmpty
                    || possible.flatMap({ expired($0) }).contains { !exists(traffic)($0) }
            case (_, .unsupported):
                isForeign && ["b0", nil].contains(attempt.command.interface)
                    || attempt.command.interface == "lo"
                        && (profileName(attempt.command) == "Black Hole" || attempt.command.verb == .on)
            default: false
            }
        // A guardian or a `run` that ends may wait for a lane to drain.
        let isWaiting = error.code == .busy && error.message.contains("is being changed by") && !isAlone
        guard isLegitimate || isWaiting else {
            throw Violation(description: "\(attempt.command) failed: \(error.message) [\(error.code)]")
        }
    }

    private func profileName(_ command: HistoryCommand) -> String? {
        switch command.verb {
        case .apply(let profile, _, _, _), .change(let profile, _), .run(let profile, _): profile
        default: nil
        }
    }

    private func requireGone(of run: Run) throws {
        guard let id = run.process?.process.processID, !broken.contains(run.interface) else { return }
        let isLeft = try observe(run.interface).rules.contains { $0.maker == id }
        if isLeft { throw Violation(description: "the rule of run \(id) is left on \(run.interface)") }
    }

    private func check() throws {
        // Guardians that are due have ended their rules by now.
        for process in host.deaths {
            let names = process.interface.map { [$0] } ?? Array(states.keys)
            broken.formUnion(names)
            for name in names {
                let id = process.process.processID
                states[name] = Set(
                    (states[name] ?? []).map { process.isGuardian ? $0.unguarded : $0 }
                        .flatMap { $0.ending { $0.run == id || $0.isUnguarded } }
                )
            }
        }
        host.deaths = []
        for name in states.keys.sorted() {
            states[name] = Set((states[name] ?? []).flatMap { expired($0) })
            if isForeign { try checkForeign() }
            guard !broken.contains(name), !isBeingChanged(name) else { continue }
            let found = try observe(name)
            if let problem = found.problem { throw Violation(description: "\(name): \(problem)") }
            let matching = (states[name] ?? []).filter { state in
                Set(state.rules.map { [$0.traffic, $0.profile] }) == Set(found.rules.map { [$0.traffic, $0.profile] })
                    && Set(state.suspended.map { [$0.traffic, $0.profile] })
                        == Set(found.suspended.map { [$0.traffic, $0.profile] })
            }
            guard !matching.isEmpty else {
                let expected = (states[name] ?? []).map(\.description).sorted().joined(separator: "\n    or ")
                let kernelRules = found.rules.map { "'\($0.profile)' [\($0.traffic)]" }.joined(separator: ", ")
                let suspended = found.suspended.map { "'\($0.profile)' [\($0.traffic)]" }.joined(separator: ", ")
                throw Violation(
                    description: "\(name) has {\(kernelRules)} and suspended {\(suspended)}\n    expected \(expected)"
                )
            }
            states[name] = matching
        }
    }

    /// Whether a process has the interface's lock: a guardian may wait for a lane to drain.
    private func isBeingChanged(_ name: String) -> Bool {
        guard let index = host.kernel.devices.first(where: { $0.name == name })?.index,
            let file = host.files["\(SimulatedProcess.directory)/cookie1-\(index).lock"]
        else { return false }
        return host.locks[file.number] != nil
    }

    private func checkForeign() throws {
        let kernel = host.kernel
        let hasAll =
            kernel.devices.contains { $0.name == "myifb" && $0.isUp && $0.alias == Array("mine".utf8) }
            && foreignQdiscs.allSatisfy(kernel.qdiscs.contains)
            && kernel.devices.filter { $0.name == "b0" }.allSatisfy { kernel.filters.contains(foreignFilter($0.index)) }
        if !hasAll { throw Violation(description: "something of the user's is gone") }
    }

    struct Observation {
        struct Rule { let traffic: String, profile: String, maker: Int32 }
        var rules: [Rule] = []
        var suspended: [Rule] = []
        var problem: String?
    }

    private final class Observer: NetlinkTransport {
        let host: SimulatedHost
        init(_ host: SimulatedHost) { self.host = host }
        func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]] { [host.kernel.answer(request.bytes)] }
    }

    /// What an interface has, and what is wrong with it whatever was asked for.
    private func observe(_ name: String) throws -> Observation {
        var found = Observation()
        let state = try Inspector(RouteConnection(Observer(host))).device(named: name)
        found.rules = state.rules.map {
            Observation.Rule(
                traffic: $0.selection.description,
                profile: $0.alias?.profile ?? "",
                maker: $0.alias?.processID ?? 0
            )
        }
        let path = "\(SimulatedProcess.directory)/cookie1-\(state.link.index).entry"
        let place = JournalPlace(
            bootID: host.bootID,
            network: NetworkIdentity(inode: 4_026_531_840, number: .cookie(1))
        )
        let reading =
            host.files[path].map { JournalReading($0.bytes, place: place, index: state.link.index) } ?? .absent
        let about = reading.about(name, address: state.link.address, hasFilters: !state.rules.isEmpty)
        var recorded: [JournalEntry.Rule] = []
        if case .entry(let entry) = about {
            recorded = entry.rules
            found.suspended = entry.suspended.map {
                .init(traffic: $0.selection.description, profile: $0.profile.name, maker: 0)
            }
            if entry.change != nil { found.problem = "the journal has an unfinished change" }
        }
        for rule in state.rules {
            let names = Set(rule.lanes.map(\.alias.profile))
            let profile = names.first.flatMap { HistoryCommand.profiles[$0] }
            let kinds = Set(rule.lanes.map(\.name.kind))
            if names.count != 1 { found.problem = "a rule has lanes of \(names)" }
            if let profile, !kinds.isSuperset(of: profile.lanes.map(\.lane)) {
                found.problem = "'\(profile.name)' has only the lanes \(kinds)"
            }
            if rule.lanes.contains(where: \.isAltered) { found.problem = "a lane of '\(names)' is incomplete" }
            guard let record = recorded.first(where: { $0.selection == rule.selection }) else {
                found.problem = "the journal does not know '\(names)'"
                continue
            }
            if !names.contains(record.profile.name) {
                found.problem = "the journal says '\(record.profile.name)', the kernel \(names)"
            }
            guard let ending = record.ending else { continue }
            if !host.isAlive(ending.guardian.processID) { found.problem = "'\(names)' has no guardian any more" }
            if let deadline = ending.deadline, host.now > deadline + .seconds(30) {
                found.problem = "'\(names)' is there after its time limit"
            }
        }
        if recorded.count != state.rules.count {
            found.problem = found.problem ?? "the journal has rules that are not there"
        }
        // Those of a process that runs are its own to delete.
        let orphans = state.orphans.filter { !host.isAlive($0.alias.processID) }
        if !orphans.isEmpty { found.problem = "lanes are left: \(orphans.map(\.name.description))" }
        if state.hasDangling { found.problem = "filters are left" }
        if state.rules.isEmpty, state.orphans.isEmpty, state.link.mtu != (name == "lo" ? 65536 : 1500) {
            found.problem = "the MTU is \(state.link.mtu)"
        }
        if state.rules.isEmpty, state.orphans.isEmpty, state.hook != .none, !shared.contains(name) {
            found.problem = "the hook is left"
        }
        return found
    }

    /// Ends every process, resets, and requires that nothing of linkcond is left.
    func finish() throws {
        while !runs.isEmpty { try perform(.endRun(killed: false)) }
        host.run(until: host.now + .seconds(90))
        for verb in [HistoryCommand.Verb.status, .reset, .status] {
            try perform(.command(HistoryCommand(verb: verb, interface: nil)))
        }
        host.run(until: host.now + .seconds(90))
        requests = host.requests
        let left = host.processes.map(\.name)
        if !left.isEmpty { throw Violation(description: "processes are left: \(left)") }
        let devices = host.kernel.devices.map(\.name).filter { !["lo", "a0", "b0", "myifb"].contains($0) }
        if !devices.isEmpty { throw Violation(description: "devices are left: \(devices)") }
        let filters = host.kernel.filters.filter { $0.info != 0x1_0300 || $0.parent != 0xFFFF_FFF2 }
        if !filters.isEmpty { throw Violation(description: "\(filters.count) filters are left") }
        if !host.files.isEmpty { throw Violation(description: "files are left: \(host.files.keys.sorted())") }
        if !host.locks.isEmpty { throw Violation(description: "locks are left") }
    }
}
