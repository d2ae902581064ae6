// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
public import LinuxSystem
public import Netlink

/// Carries out plans in the network namespace of its connection.
public struct PlanExecutor {
    let connection: RouteConnection
    private let home: RouteConnection
    let pumps: any PumpControl
    let pace: Pace

    /// Makes an executor.
    ///
    /// - Parameters:
    ///   - connection: leads to the network that plans are about.
    ///   - home: leads to the network namespace in which the process started, if that is another one.
    ///   - pumps: does the steps that are about pumps.
    public init(
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

    /// Refuses, before anything is changed, what the kernel has no part for.
    ///
    /// - Throws: every missing part at once; or that the process may not change this network.
    public func require(_ features: [KernelFeature]) throws(ConditioningError) {
        var missing: [String] = []
        for feature in features {
            do {
                if try !isPresent(feature) { missing.append(feature.rawValue) }
            } catch  where error.code == EPERM {
                throw ConditioningError(
                    .notPermitted,
                    "this process may not change the network here: it lacks CAP_NET_ADMIN",
                    remedy: "sudo linkcond ..., or a network of your own: unshare -rn"
                )
            } catch {
                throw ConditioningError(error)
            }
        }
        guard missing.isEmpty else {
            throw ConditioningError(
                .unsupported,
                "this kernel has no \(missing.joined(separator: ", no "))",
                remedy: "linkcond doctor"
            )
        }
    }

    private func isPresent(_ feature: KernelFeature) throws(NetlinkError) -> Bool {
        guard feature == .ifb else { return try connection.has(feature) }
        return try AutoCreatedIFBs(home).without { () throws(NetlinkError) in try connection.has(.ifb) }
    }

    /// Makes what a plan wants of `device` take effect, then reads back and compares.
    ///
    /// - Parameter seal: writes down that it was done; its failure is one of the whole.
    /// - Throws: the first failure, or the first difference, after undoing what had been done.
    public func build(
        _ plan: Plan,
        on device: String,
        seal: () throws(ConditioningError) -> Void = {}
    ) throws(ConditioningError) {
        var indexes = LinkIndexes(connection)
        var done: [Step] = []
        do {
            for operation in plan.build {
                try perform(operation, &indexes)
                done.append(operation)
            }
        } catch {
            throw undoing(done, after: error.conditioningError, &indexes)
        }
        if !plan.expected.isEmpty, let mismatch = compare(plan, on: device) {
            throw undoing(done, after: mismatch, &indexes)
        }
        do throws(ConditioningError) {
            try seal()
        } catch {
            throw undoing(done, after: error, &indexes)
        }
    }

    /// Takes away what a plan no longer wants. May wait for lanes to drain; whoever is interrupted meanwhile leaves
    /// lanes without traffic, which any later reset takes away.
    ///
    /// - Returns: what a lane still held when it was deleted, in words; empty where nothing was lost.
    /// - Throws: the first failure, after taking away the rest.
    public func retire(_ plan: Plan) throws(ConditioningError) -> [String] {
        var indexes = LinkIndexes(connection)
        return try takeAway(plan.retire, &indexes)
    }

    /// Builds, then retires.
    @discardableResult
    public func carryOut(_ plan: Plan, on device: String) throws(ConditioningError) -> [String] {
        try build(plan, on: device)
        return try retire(plan)
    }

    private func compare(_ plan: Plan, on device: String) -> ConditioningError? {
        do {
            let state = try Inspector(connection).device(named: device)
            let differences = Verification.differences(plan.expected, in: state)
            guard !differences.isEmpty else { return nil }
            let list = differences.joined(separator: "\n")
            return ConditioningError(
                .mismatch,
                "the kernel has something else on \(device) than was asked for:\n\(list)"
            )
        } catch {
            return ConditioningError(error)
        }
    }

    private func undoing(
        _ done: [Step],
        after failure: ConditioningError,
        _ indexes: inout LinkIndexes
    ) -> ConditioningError {
        var failure = failure
        var leftovers: [String] = []
        for operation in done.reversed().compactMap(\.undo) {
            do {
                try perform(operation, &indexes)
            } catch  where !error.isAbsence {
                leftovers.append(error.conditioningError.message)
            } catch {}
        }
        if !leftovers.isEmpty {
            failure.isIncomplete = true
            failure.aftermath = "and undoing it failed: " + leftovers.joined(separator: "; ")
            failure.remedy = failure.remedy ?? "linkcond reset"
        } else if !done.isEmpty {
            failure.aftermath = "everything is as it was before"
        }
        return failure
    }

    private func takeAway(_ operations: [Step], _ indexes: inout LinkIndexes) throws(ConditioningError) -> [String] {
        var failure: StepFailure?
        var losses: [String] = []
        // Lanes drain side by side, so one limit's time is enough for all; it begins when the last filter is gone.
        var start: Duration?
        for operation in operations {
            do {
                guard case .drain(let carrier, let limit) = operation else {
                    try perform(operation, &indexes)
                    continue
                }
                let begin = start ?? pace.now()
                start = begin
                let deadline = begin + min(limit + Self.lateness, .seconds(10))
                switch try drain(carrier, until: deadline, &indexes) {
                case 0: break
                case let held?: losses.append("\(carrier.device) still held \(held) packets after \(limit.text)")
                case nil: losses.append("the process that serves \(carrier.device) did not say what it held")
                }
            } catch  where !error.isAbsence {
                failure = failure ?? error
            } catch {}
        }
        if let failure { throw failure.conditioningError }
        return losses
    }

    /// A busy machine hands packets on later than their time.
    private static let lateness = Duration.seconds(1)
}
