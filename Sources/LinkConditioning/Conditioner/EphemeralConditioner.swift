// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
package import Netlink

/// Conditions the interfaces of a network that ends with its processes, such as a sandbox's. It uses no journal, lock
/// or guardian; the caller starts the pump.
///
/// The network must be new and its ephemeral ports reserved, so that ports tell which side opened a loopback flow.
package struct EphemeralConditioner {
    private let connection: RouteConnection

    /// Works in the network that `connection` leads to and the process is in.
    package init(_ connection: RouteConnection) { self.connection = connection }

    private func open(_ interface: String) throws(ConditioningError) -> InterfaceSession {
        try InterfaceSession(unrecorded: interface, connection, portsTellOpener: true)
    }

    /// The request as one of this process, which alone changes and removes the rule as long as it runs.
    private func held(_ request: RuleRequest) -> RuleRequest {
        var request = request
        request.origin = .here
        request.origin.isHeld = true
        return request
    }

    /// Chooses an engine for the conditions that a request asks for, on each of `interfaces`, and plans them.
    package func choose(
        _ request: RuleRequest,
        on interfaces: [String],
        needsLog: Bool
    ) throws(ConditioningError) -> EngineChoice {
        var planners: [Planner] = []
        for interface in interfaces { planners.append(try open(interface).planner) }
        return try EngineChoice(held(request), planners, PlanExecutor(connection), needsLog: needsLog)
    }

    /// Chooses an engine for conditions that come later.
    package func choose(for engine: Engine?, needsLog: Bool) -> EngineChoice {
        EngineChoice(for: engine, PlanExecutor(connection), needsLog: needsLog)
    }

    /// Throws `unsupported` if the kernel lacks a feature, before anything is changed.
    package func require(_ choice: EngineChoice) throws(ConditioningError) {
        try choice.require(PlanExecutor(connection))
    }

    /// Plans a request whose engine is given, on each of `interfaces`, and checks that the kernel can do it.
    package func plan(_ request: RuleRequest, on interfaces: [String]) throws(ConditioningError) -> [Plan] {
        let choice = try choose(request, on: interfaces, needsLog: false)
        try require(choice)
        return choice.plans
    }

    /// Applies a plan whose TAP devices the caller's pump has made.
    package func apply(
        _ request: RuleRequest,
        as plan: Plan,
        on interface: String
    ) throws(ConditioningError) -> Teardown {
        let rule = JournalEntry.Rule(request, request.engine ?? .netem, owner: .current)
        return try open(interface).apply(rule, as: plan)
    }

    /// Plans and applies a request whose TAP devices exist, without waiting for old lanes to drain.
    package func replace(_ request: RuleRequest, on interface: String) throws(ConditioningError) {
        let session = try open(interface)
        var plan = try session.planner.apply(held(request), request.engine ?? .netem)
        plan.teardown.removeAll(where: \.isDrain)
        let rule = JournalEntry.Rule(request, request.engine ?? .netem, owner: .current)
        _ = try session.apply(rule, as: plan).finish()
    }

    /// Removes the rule for `selection` without waiting for its lanes to drain.
    package func remove(_ selection: Selection, from interface: String) throws(ConditioningError) {
        let removal = try open(interface).beginRemoval(of: selection, leftBy: [getpid()])
        _ = try Removal.carryOut([removal], isPatient: false, by: PlanExecutor(connection))
    }

    /// The rules in effect and their counters.
    package func status() throws(ConditioningError) -> StatusReport {
        do {
            let (devices, abandoned) = try Inspector(connection).conditionedDevices()
            var report = StatusReport(devices: devices, abandoned: abandoned)
            report.askPumps(of: devices)
            return report
        } catch {
            throw ConditioningError(error)
        }
    }
}
