// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
package import Netlink
package import PacketPump
package import TrafficControl

/// Conditions the interfaces of a network namespace that ends with its processes, such as a sandbox's. It uses no
/// journal, lock or guardian; the caller starts the pump.
///
/// The network must be new and its ephemeral ports reserved, so that ports show which side opened a loopback flow.
package struct EphemeralConditioner {
    private let connection: RouteConnection
    /// The process that carries the packets; nil if the kernel does.
    private let pump: PumpProcess?

    /// Works in the network that `connection` leads to; the process must be in the same one.
    package init(_ connection: RouteConnection, pump: PumpProcess? = nil) {
        (self.connection, self.pump) = (connection, pump)
    }

    private var machine: RealMachine { pump.map { RealMachine(client: $0.client) } ?? .real }
    private var executor: PlanExecutor { machine.executor(connection) }

    private func open(_ interface: String) throws(ConditioningError) -> InterfaceSession {
        try InterfaceSession.repairing(interface, connection, on: machine, journal: nil, portsTellOpener: true)
    }

    /// The request marked as held by this process, which alone changes and removes the rule as long as it runs.
    private func held(_ request: RuleRequest) -> RuleRequest {
        var request = request
        request.origin = .here
        request.origin.isHeld = true
        return request
    }

    /// Chooses an engine for the conditions of a request on each of `interfaces`, and plans them.
    ///
    /// - Parameter unobserved: the request as it would be without observation; nil if observation did not affect the
    ///   choice.
    package func choose(
        _ request: RuleRequest,
        on interfaces: [String],
        needsLog: Bool = false,
        insteadOf unobserved: RuleRequest? = nil
    ) throws(ConditioningError) -> EngineChoice {
        var planners: [Planner] = []
        for interface in interfaces { planners.append(try open(interface).planner) }
        return try EngineChoice(
            held(request),
            planners,
            executor,
            needsLog: needsLog,
            insteadOf: unobserved.map(held),
            endsWithNetwork: true
        )
    }

    /// Chooses an engine for conditions that will be requested later.
    package func choose(for engine: Engine?, needsLog: Bool) -> EngineChoice {
        EngineChoice(for: engine, executor, needsLog: needsLog)
    }

    /// Plans a request whose engine is given, on each of `interfaces`.
    ///
    /// - Throws: the reason why the request cannot be fulfilled, `unsupported` if the kernel lacks a feature. Nothing
    ///   has been changed then.
    package func plan(_ request: RuleRequest, on interfaces: [String]) throws(ConditioningError) -> [Plan] {
        let choice = try choose(request, on: interfaces)
        try require(choice)
        return choice.plans
    }

    /// Throws `unsupported` if the kernel lacks a feature, before anything is changed.
    package func require(_ choice: EngineChoice) throws(ConditioningError) {
        try choice.require(executor, endsWithNetwork: true)
    }

    /// Puts a request into effect on each of `interfaces`, or on none.
    ///
    /// - Parameters:
    ///   - plans: a plan for each interface, whose requirements the kernel meets.
    ///   - before: the request that this one replaces; nil for none.
    /// - Returns: the old lanes, to be deleted now.
    package func apply(
        _ request: RuleRequest,
        as plans: [Plan],
        on interfaces: [String],
        replacing before: RuleRequest? = nil
    ) throws(ConditioningError) -> [Teardown] {
        let application = RuleApplication(
            request: request,
            engine: request.engine ?? .netem,
            plans: Array(zip(interfaces, plans)),
            keeper: .network(pump: pump, before: before.map(held))
        )
        var none: Guardian?
        return try application.carryOut(&none, open: open)
    }

    /// The rules in effect and their counters.
    package func status() throws(ConditioningError) -> StatusReport {
        let (devices, abandoned) = try kernelAnswer(Inspector(connection).conditionedDevices())
        var report = StatusReport(devices: devices, abandoned: abandoned)
        report.ask(pump?.client, of: devices)
        return report
    }
}
