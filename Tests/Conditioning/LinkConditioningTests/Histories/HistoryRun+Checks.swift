// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkRules
import LinuxSystem
import TestKit

@testable import LinkConditioning
@testable import Netlink
@testable import TrafficControl

/// What the host must look like.
extension HistoryRun {
    func expired(_ state: HistoryModel) -> Set<HistoryModel> {
        state.ending { $0.deadlines.contains { $0.lowerBound <= host.now } }
    }

    func checkFailure(_ attempt: Attempt, _ before: [String: Set<HistoryModel>], isAlone: Bool) throws {
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

    func profileName(_ command: HistoryCommand) -> String? {
        switch command.verb {
        case .apply(let profile, _, _, _), .change(let profile, _), .run(let profile, _): profile
        default: nil
        }
    }

    func requireGone(of run: Run) throws {
        guard let id = run.process?.process.processID, !broken.contains(run.interface) else { return }
        let isLeft = try observe(run.interface).rules.contains { $0.maker == id }
        if isLeft { throw Violation(description: "the rule of run \(id) is left on \(run.interface)") }
    }

    func check() throws {
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
    func isBeingChanged(_ name: String) -> Bool {
        guard let index = host.kernel.devices.first(where: { $0.name == name })?.index,
            let file = host.files["\(SimulatedProcess.directory)/cookie1-\(index).lock"]
        else { return false }
        return host.locks[file.number] != nil
    }

    func checkForeign() throws {
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

    final class Observer: NetlinkTransport {
        let host: SimulatedHost
        init(_ host: SimulatedHost) { self.host = host }
        func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]] { [host.kernel.answer(request.bytes)] }
    }

    /// What an interface has, and what is wrong with it whatever was asked for.
    func observe(_ name: String) throws -> Observation {
        var found = Observation()
        let state = try Inspector(RouteConnection(Observer(host))).device(named: name)
        let path = "\(SimulatedProcess.directory)/cookie1-\(state.link.index).entry"
        let network = JournalNetwork(
            bootID: host.bootID,
            identity: NetworkIdentity(inode: 4_026_531_840, number: .cookie(1))
        )
        let reading =
            host.files[path].map { JournalReading($0.bytes, network: network, index: state.link.index) } ?? .absent
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
            var names = Set(rule.lanes.map(\.alias.profile))
            // A qdisc has no alias.
            if rule.lanes.contains(where: \.isAtRoot) {
                names = Set(recorded.filter { $0.selection == rule.selection }.map(\.profile.name))
            }
            found.rules.append(
                .init(
                    traffic: rule.selection.description,
                    profile: names.first ?? "",
                    maker: rule.alias?.processID ?? 0
                )
            )
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
        let orphans = state.orphans.filter { !remade.contains(name) || !host.isAlive($0.alias.processID) }
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
