// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning
internal import LinkProfiles
internal import Netlink

/// Which engine carries conditions, and why.
public struct EngineChoice {
    /// The engine.
    public let engine: Engine
    /// Why it is that one, where nobody asked for it and it is not the usual one.
    public let reason: String?
    /// Whether the kernel was seen to have all that the conditions need; to ask it takes longer than to plan.
    private let isChecked: Bool

    /// Takes the engine that was asked for; else the one that has the rule already, if it can go on; else netem, where
    /// the kernel has all of it that the conditions need, and can tell loopback's directions apart as well as they ask;
    /// else userspace.
    ///
    /// - Parameters:
    ///   - request: the conditions; without any to go by, the kernel's own engine is taken if it is there.
    ///   - planners: one for each device that is to have them.
    ///   - current: what carries the rule now.
    public init(
        _ wanted: Engine?,
        _ request: RuleRequest?,
        _ planners: [Planner],
        _ conditioner: Conditioner,
        current: Engine? = nil,
        needsLog: Bool = false
    ) {
        if let engine = wanted ?? (current == .userspace ? .userspace : nil) {
            self.init(engine: engine, reason: nil)
            return
        }
        if needsLog {
            self.init(engine: .userspace, reason: "netem keeps no log")
            return
        }
        let obstacle = Self.obstacle(request, planners, conditioner)
        if let obstacle, obstacle.code == .unsupported, request != nil || Self.canMakeTaps {
            // Where there are to be conditions and neither engine can be had, userspace says what it lacks.
            self.init(engine: .userspace, reason: obstacle.message)
        } else if let request, request.profile.uplink != request.profile.downlink, Self.canMakeTaps,
            planners.contains(where: \.guessesDirection)
        {
            self.init(engine: .userspace, reason: "netem cannot tell the directions of loopback by flows")
        } else {
            self.init(engine: .netem, reason: nil, isChecked: request != nil && obstacle == nil)
        }
    }

    private init(engine: Engine, reason: String?, isChecked: Bool = false) {
        self.engine = engine
        self.reason = reason
        self.isChecked = isChecked
    }

    /// Refuses what the kernel has no part for, before anything is changed.
    public func require(_ plan: Plan, _ conditioner: Conditioner) throws(ConditioningError) {
        if !isChecked { try conditioner.require(plan.requirements) }
    }

    /// What to say about the choice; nil where there is nothing to.
    public var note: String? {
        reason.map { "the \(engine.rawValue) engine carries the conditions, since \($0)" }
    }

    /// A plan that gives a device the rule by this engine; where that cannot be had, it also says why it is this one.
    public func plan(_ planner: Planner, _ request: RuleRequest) throws(ConditioningError) -> Plan {
        do {
            return try planner.apply(request, engine)
        } catch {
            var error = error
            if let reason, reason != error.message { error.message = "\(reason)\n\(error.message)" }
            throw error
        }
    }

    private static var canMakeTaps: Bool { access(Uplink.tunDevice, R_OK | W_OK) == 0 }

    /// What keeps netem from it; nil where nothing does.
    private static func obstacle(
        _ request: RuleRequest?,
        _ planners: [Planner],
        _ conditioner: Conditioner
    ) -> ConditioningError? {
        do throws(ConditioningError) {
            var needs: [KernelFeature] = request == nil ? [.netem, .tokenBucket, .ifb, .mirred] : []
            if let request {
                for planner in planners {
                    let features = try planner.apply(request, .netem).requirements
                    needs += features.filter { !needs.contains($0) }
                }
            }
            try conditioner.require(needs)
            return nil
        } catch {
            return error
        }
    }
}
