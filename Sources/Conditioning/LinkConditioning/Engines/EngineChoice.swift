// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink
internal import PacketPump
package import TrafficControl

/// The choice of an engine, its reason, and the plans made for the choice.
package struct EngineChoice {
    package let engine: Engine
    /// The reason, if the engine is neither requested nor the default.
    package private(set) var reason: String?
    /// The plan for each device, in the order of the planners; empty for a choice without conditions.
    package let plans: [Plan]
    /// Whether the kernel is known to meet the plans' requirements. The check takes longer than planning.
    private let isChecked: Bool

    package var plan: Plan { plans[0] }

    /// Chooses an engine for conditions and plans them.
    ///
    /// The engine is the requested one; else the current one, if that is userspace; else netem, if the kernel has all
    /// features that the conditions need and netem can distinguish loopback's directions if they differ; else
    /// userspace.
    ///
    /// - Parameters:
    ///   - planners: one for each device to condition.
    ///   - current: the rule for the same traffic that is in effect now.
    ///   - needsLog: whether a packet log is wanted, which netem does not write.
    ///   - unobserved: the request as it would be without the observation, which needs the userspace engine; nil if
    ///     nothing is observed, or if the user has chosen the engine.
    ///   - endsWithNetwork: whether the pump's devices would end with their network, and not with the pump.
    /// - Throws: the reason why the conditions are impossible, preceded by the reason for the engine if it was chosen
    ///   here.
    package init(
        _ request: RuleRequest,
        _ planners: [Planner],
        _ executor: PlanExecutor,
        current: RuleState? = nil,
        needsLog: Bool = false,
        insteadOf unobserved: RuleRequest? = nil,
        endsWithNetwork: Bool = false
    ) throws(ConditioningError) {
        if let unobserved {
            let wouldBeNetem =
                unobserved.engine != .userspace && !executor.lacks([.netem])
                && !Self.mustKnowFlows(unobserved, planners, endsWithNetwork)
                && (try? Self.netem(unobserved, planners, executor)) != nil
            try self.init(.userspace, because: wouldBeNetem ? Self.observation : nil, request, planners)
            return
        }
        if let engine = request.engine ?? (current?.isPumped == true ? .userspace : nil) {
            try self.init(engine, because: nil, request, planners)
            // If the user chose netem and the kernel cannot count the bytes in a queue, netem limits the queue in
            // packets, and a note says so.
            let counting: [KernelFeature] = [.priorityBands, .police]
            let isCounted = !Set(counting).isDisjoint(with: Self.requirements(plans))
            if engine == .netem, isCounted, executor.lacks(counting), !executor.lacks([.netem]) {
                try self.init(engine, because: nil, request, planners.map(\.withoutPolicers))
            }
            if engine == .netem, Self.canOnlyBeRoot(planners, executor) {
                try self.init(engine, because: nil, request, planners.map(\.atRoot))
            }
            return
        }
        if needsLog {
            try self.init(.userspace, because: Self.noLog, request, planners)
            return
        }
        let netem: (plans: [Plan], isChecked: Bool)
        do {
            netem = try Self.netem(request, planners, executor)
        } catch {
            // If neither engine works, the userspace engine's error is thrown.
            guard error.code == .unsupported else { throw error }
            if Self.canOnlyBeRoot(planners, executor), executor.lacks([.mirred]) || TapDevice.accessProblem != nil {
                try self.init(.netem, because: error.message, request, planners.map(\.atRoot))
            } else {
                try self.init(.userspace, because: error.message, request, planners)
            }
            return
        }
        if Self.mustKnowFlows(request, planners, endsWithNetwork) {
            let reason = "netem cannot distinguish the directions of loopback flows"
            try self.init(.userspace, because: reason, request, planners)
        } else {
            self.init(engine: .netem, plans: netem.plans, isChecked: netem.isChecked)
        }
    }

    /// Plans conditions for netem, and checks the kernel if this process may.
    private static func netem(
        _ request: RuleRequest,
        _ planners: [Planner],
        _ executor: PlanExecutor
    ) throws(ConditioningError) -> (plans: [Plan], isChecked: Bool) {
        var plans: [Plan] = []
        for planner in planners { plans.append(try planner.apply(request, .netem)) }
        do {
            try executor.require(requirements(plans))
            return (plans, true)
        } catch  where error.code != .unsupported {
            // A user without privileges may still see the plan.
            return (plans, false)
        }
    }

    /// Whether the kernel has netem, but cannot redirect packets to it, so that it can only be a root qdisc. False for
    /// loopback, whose root qdisc would get both directions.
    private static func canOnlyBeRoot(_ planners: [Planner], _ executor: PlanExecutor) -> Bool {
        !planners.contains(where: \.state.link.isLoopback) && executor.lacks([.ifb, .mirred])
            && !executor.lacks([.netem])
    }

    /// Whether the conditions need the flows' directions, which only a pump knows, and a pump is possible.
    private static func mustKnowFlows(
        _ request: RuleRequest,
        _ planners: [Planner],
        _ endsWithNetwork: Bool
    ) -> Bool {
        request.profile.uplink != request.profile.downlink && planners.contains(where: \.guessesDirection)
            && (endsWithNetwork ? canPumpLoopback : TapDevice.accessProblem == nil)
    }

    /// Chooses an engine for conditions that will be requested later: netem if the kernel fully supports it, else
    /// userspace if a pump can have a device.
    package init(for requested: Engine?, _ executor: PlanExecutor, needsLog: Bool) {
        if let requested {
            self.init(engine: requested)
        } else if needsLog {
            self.init(engine: .userspace, reason: Self.noLog)
        } else {
            do {
                try executor.require([.netem, .tokenBucket, .priorityBands, .police, .ifb, .mirred])
                self.init(engine: .netem)
            } catch  where error.code == .unsupported && Self.canPumpLoopback {
                self.init(engine: .userspace, reason: error.message)
            } catch {
                self.init(engine: .netem)
            }
        }
    }

    private init(engine: Engine, reason: String? = nil, plans: [Plan] = [], isChecked: Bool = false) {
        self.engine = engine
        self.reason = reason
        self.plans = plans
        self.isChecked = isChecked
    }

    private init(
        _ engine: Engine,
        because reason: String?,
        _ request: RuleRequest,
        _ planners: [Planner]
    ) throws(ConditioningError) {
        var plans: [Plan] = []
        do {
            for planner in planners { plans.append(try planner.apply(request, engine)) }
        } catch {
            var error = error
            if let reason, reason != error.message { error.message = "\(reason)\n\(error.message)" }
            throw error
        }
        self.init(engine: engine, reason: reason, plans: plans)
    }

    /// Throws `unsupported` if the kernel lacks a feature, before anything is changed.
    ///
    /// - Parameter endsWithNetwork: whether the pump's devices end with their network, and not with the pump.
    package func require(_ executor: PlanExecutor, endsWithNetwork: Bool = false) throws(ConditioningError) {
        let taps = plans.flatMap(\.taps)
        if !taps.isEmpty, let problem = FrameDevices.problem(for: taps, endsWithNetwork: endsWithNetwork) {
            throw ConditioningError(.unsupported, problem.description, remedy: Remedy(.advice, TapDevice.remedy))
        }
        if !isChecked { try executor.require(Self.requirements(plans)) }
    }

    private static func requirements(_ plans: [Plan]) -> [KernelFeature] {
        var features: [KernelFeature] = []
        for feature in plans.flatMap(\.requirements) where !features.contains(feature) { features.append(feature) }
        return features
    }

    /// The same choice with another reason.
    package func because(_ reason: String?) -> EngineChoice {
        var choice = self
        choice.reason = reason
        return choice
    }

    /// A note for the user about the choice; nil without a reason.
    package var note: String? {
        reason.map { "using the \(engine.rawValue) engine: \($0)" }
    }

    private static let observation =
        "expectations and reports need the fate of each packet, which netem does not tell"
    private static let noLog = "netem does not tell what becomes of each packet"

    /// Whether this process can make a device for the loopback of its network namespace that ends with the namespace.
    package static var canPumpLoopback: Bool { FrameDevices.loopbackProblem == nil }
}
