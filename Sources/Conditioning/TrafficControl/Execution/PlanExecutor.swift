// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
package import LinuxSystem
package import Netlink

/// Carries out plans in the network namespace of its connection.
package struct PlanExecutor {
    let connection: RouteConnection
    private let home: RouteConnection
    let pumps: any PumpControl
    let pace: Pace

    /// Makes an executor.
    ///
    /// - Parameters:
    ///   - connection: a connection to the network namespace of the plans.
    ///   - home: a connection to the network namespace in which the process started; nil if `connection` is to the same
    ///     one.
    ///   - pumps: carries out the steps for pumps.
    package init(
        _ connection: RouteConnection,
        home: RouteConnection? = nil,
        pumps: any PumpControl,
        pace: Pace = .real
    ) {
        self.connection = connection
        self.home = home ?? connection
        self.pumps = pumps
        self.pace = pace
    }

    /// This executor over another connection to the same network.
    package func over(_ connection: RouteConnection) -> PlanExecutor {
        PlanExecutor(connection, pumps: pumps, pace: pace)
    }

    /// Checks, before anything is changed, that the kernel has `features`.
    ///
    /// - Throws: `unsupported` with all missing features, or `notPermitted`.
    package func require(_ features: [KernelFeature]) throws(ConditioningError) {
        var missing: [String] = []
        for feature in features {
            do {
                if try !isPresent(feature) { missing.append(feature.rawValue) }
            } catch  where error.code == EPERM {
                throw Self.notPermitted
            } catch {
                throw ConditioningError(error)
            }
        }
        guard missing.isEmpty else {
            throw ConditioningError(
                .unsupported,
                "this kernel has no \(missing.joined(separator: ", no "))",
                remedy: Remedy(.examine)
            )
        }
    }

    /// Checks that this process may change the network.
    package func requirePermission() throws(ConditioningError) {
        guard connection.mayChange else { throw Self.notPermitted }
    }

    private static let notPermitted = ConditioningError(
        .notPermitted,
        "this process may not change the network here: it lacks CAP_NET_ADMIN",
        remedy: Remedy(.becomeRoot)
    )

    /// Whether the kernel is known to lack one of `features`.
    package func lacks(_ features: [KernelFeature]) -> Bool {
        do throws(ConditioningError) {
            try require(features)
            return false
        } catch {
            return error.code == .unsupported
        }
    }

    private func isPresent(_ feature: KernelFeature) throws(NetlinkError) -> Bool {
        guard feature == .ifb else { return try connection.has(feature) }
        return try AutoCreatedIFBs(home).without { () throws(NetlinkError) in try connection.has(.ifb) }
    }

    /// Carries out the `build` steps of a plan for `device`, then compares the kernel's state with the plan.
    ///
    /// - Parameter record: records the change; if it fails, the change is undone.
    /// - Throws: the first failure or the differences, after undoing the steps that were done.
    package func build(
        _ plan: Plan,
        on device: String,
        record: () throws(ConditioningError) -> Void = {}
    ) throws(ConditioningError) {
        var indexes = LinkIndexes(connection)
        var done: [PlanStep] = []
        do throws(ConditioningError) {
            for step in plan.build {
                precondition(!step.isDrain, "new lanes wait for old ones")
                do {
                    try perform(step, &indexes)
                } catch {
                    throw error.reason
                }
                done.append(step)
            }
            if plan.hasLanes { try compare(plan, on: device) }
            try record()
        } catch {
            throw undoing(done, after: error, &indexes)
        }
    }

    /// Carries out the `teardown` steps of a plan. The steps may wait for lanes to drain; an interruption leaves lanes
    /// without traffic, which any later reset removes.
    ///
    /// - Returns: for each lane that still held packets when it was deleted, a sentence for the user.
    /// - Throws: the error of the first step that failed twice, after the remaining steps have been carried out.
    package func tearDown(_ plan: Plan) throws(ConditioningError) -> [String] {
        var indexes = LinkIndexes(connection)
        var failure: StepFailure?
        var losses: [String] = []
        // Lanes drain at the same time, so one limit is enough for all; it starts when the last filter is deleted.
        var start: Duration?
        for step in plan.teardown {
            do {
                guard case .drain(let holder, let limit) = step else {
                    try performTwice(step, &indexes)
                    continue
                }
                let first = start ?? pace.now()
                start = first
                let deadline = first + min(limit + Self.lateness, .seconds(10))
                switch try drain(holder, until: deadline, &indexes) {
                case 0: break
                case let held?: losses.append("\(holder.device) still held \(held) packets after \(limit.text)")
                case nil:
                    losses.append("the process that serves \(holder.device) did not answer how many packets it held")
                }
            } catch  where !error.isAbsence {
                failure = failure ?? error
            } catch {}
        }
        if let failure { throw failure.reason }
        return losses
    }

    /// Performs a step, and once more if it fails: the kernel may have been short of memory for a moment, and an object
    /// that is not removed stays until the next command. Repeats it at once, since later steps rely on it.
    private func performTwice(_ step: PlanStep, _ indexes: inout LinkIndexes) throws(StepFailure) {
        do {
            try perform(step, &indexes)
        } catch  where !error.isAbsence {
            try perform(step, &indexes)
        }
    }

    /// The time by which a busy machine may send packets late.
    private static let lateness = Duration.seconds(1)

    /// Builds, then tears down.
    @discardableResult
    package func carryOut(_ plan: Plan, on device: String) throws(ConditioningError) -> [String] {
        try build(plan, on: device)
        return try tearDown(plan)
    }

    private func compare(_ plan: Plan, on device: String) throws(ConditioningError) {
        let differences: [String]
        do {
            let state = try Inspector(connection).device(named: device)
            differences =
                PlanComparison.differences(plan.expected, in: state) + PlanComparison.difference(plan.root, in: state)
        } catch {
            throw ConditioningError(error)
        }
        guard differences.isEmpty else {
            let list = differences.joined(separator: "\n")
            throw ConditioningError(
                .mismatch,
                "the kernel's state of \(device) differs from what was requested:\n\(list)"
            )
        }
    }

    private func undoing(
        _ done: [PlanStep],
        after failure: ConditioningError,
        _ indexes: inout LinkIndexes
    ) -> ConditioningError {
        var failure = failure
        var leftovers: [String] = []
        for step in done.reversed().compactMap(\.undo) {
            do {
                try perform(step, &indexes)
            } catch  where !error.isAbsence {
                leftovers.append(error.reason.message)
            } catch {}
        }
        if !leftovers.isEmpty {
            failure.isIncomplete = true
            failure.aftermath = "and undoing it failed: " + leftovers.joined(separator: "; ")
            failure.remedy = failure.remedy ?? Remedy(.reset)
        } else if !done.isEmpty {
            failure.aftermath = "everything is as it was before"
        }
        return failure
    }
}
