// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import Netlink

/// The conditions of one sandbox: one profile for its loopback and its uplink, carried by one engine.
final class Conditions {
    private let connection: RouteConnection
    private let devices: [String]
    private let selection: Selection
    /// What carries the packets; nil where the kernel does.
    private let pump: SandboxPump?
    /// What was put last; nil as long as nothing was.
    private(set) var current: (request: RuleRequest, hasLanes: Bool)?

    /// Conditions for `devices` of the network that `connection` leads to.
    init(_ connection: RouteConnection, devices: [String], selection: Selection, pump: SandboxPump?) {
        self.connection = connection
        self.devices = devices
        self.selection = selection
        self.pump = pump
    }

    private var engine: Engine { pump == nil ? .netem : .userspace }

    /// Puts `profile` in the place of the one in force, on every device.
    ///
    /// - Returns: what there is to wait for when the new conditions hold: lanes that drain.
    /// - Throws: what stands in the way; the conditions are as they were before.
    func change(to profile: Profile, seed: UInt64?) throws(ConditioningError) -> [Plan] {
        let request = RuleRequest(profile: profile, selection: selection, seed: seed, origin: .here)
        var plans: [(device: String, plan: Plan)] = []
        for device in devices { plans.append((device, try planner(device).apply(request, engine))) }
        let conditioner = Conditioner(connection)
        for (_, plan) in plans { try conditioner.require(plan.requirements) }
        try start(plans, request)
        var changed: [String] = []
        for (device, plan) in plans {
            do {
                try conditioner.build(plan, on: device)
            } catch {
                var error = error
                for device in changed { giveBack(device, &error) }
                throw error
            }
            changed.append(device)
        }
        current = (request, plans.contains { !$0.plan.expected.isEmpty })
        return plans.map(\.plan)
    }

    /// Takes away what `plans` no longer want.
    func retire(_ plans: [Plan]) throws(ConditioningError) {
        for plan in plans { _ = try Conditioner(connection).retire(plan) }
    }

    /// What holds and what it has done, the sandbox itself aside, and the name of the profile; nil where it is none.
    func report() throws(ConditioningError) -> (report: StatusReport, profile: String?) {
        do {
            let (devices, abandoned) = try Inspector(connection).conditionedDevices()
            // Root's own `apply` and `reset` can have changed it. A profile without impairments has no lanes to find.
            let rule = devices.lazy.flatMap(\.rules).first { $0.selection == self.selection }
            let bare = current.flatMap { $0.hasLanes ? nil : $0.request.profile.name }
            var report = StatusReport(devices: devices, abandoned: abandoned)
            report.askPumps(of: devices)
            return (report, rule?.tag?.profile ?? bare)
        } catch {
            throw ConditioningError(error)
        }
    }

    /// Has the pump make the TAP devices of new ways.
    private func start(
        _ plans: [(device: String, plan: Plan)],
        _ request: RuleRequest
    ) throws(ConditioningError) {
        let devices = plans.filter { !$0.plan.taps.isEmpty }.map { PumpedDevice(name: $0.device, taps: $0.plan.taps) }
        guard let pump, !devices.isEmpty else { return }
        try pump.start(devices, request.conditions)
    }

    /// Gives one device back what it had before a change that failed on another.
    private func giveBack(_ device: String, _ failure: inout ConditioningError) {
        do {
            let planner = try planner(device)
            var plan = Plan()
            if let current {
                plan = try planner.apply(current.request, engine)
            } else {
                plan = planner.remove(selection, owner: getpid())
            }
            plan.retire.removeAll(where: \.isDrain)
            try Conditioner(connection).carryOut(plan, on: device)
        } catch {
            let words = "\(device) keeps the new conditions: \(error.message)"
            failure.aftermath = [failure.aftermath, words].compactMap { $0 }.joined(separator: "\n")
        }
    }

    private func planner(_ device: String) throws(ConditioningError) -> Planner {
        do {
            return Planner(try Inspector(connection).device(named: device), .current(), portsTellOpener: true)
        } catch {
            throw ConditioningError(error)
        }
    }
}
