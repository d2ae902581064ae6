// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning
internal import Netlink

/// One of the host's interfaces, conditioned as long as the command runs.
public struct ConditionedInterface: Surroundings {
    private let name: String
    private var request: RuleRequest
    private let progress: SharedCell<Progress>

    private struct Progress: BitwiseCopyable {
        /// The interface's index; 0 until something is made.
        var index: Int32 = 0
        /// Whether the conditions are on: the rule is this run's then, whoever switches it later, and until then it
        /// may be somebody else's, for whose sake this run is refused.
        var isOn = false
    }

    /// Describes it; nothing is changed yet.
    public init(_ name: String, _ request: RuleRequest) throws(SandboxError) {
        self.name = name
        self.request = request
        progress = try SharedCell(Progress())
    }

    /// Puts the conditions on.
    public mutating func enter(watching front: CInt) throws(SandboxError) -> [String] {
        request.origin = .here
        let connection = try RouteConnection.here()
        do {
            let state = try device(connection)
            if let rule = state.rules.first(where: { $0.selection == request.selection }) {
                let scope = rule.selection.isEverything ? "" : " for traffic \(rule.selection)"
                throw SandboxError(
                    "\(name) has \"\(rule.tag?.profile ?? "")\"\(scope) already, "
                        + "from process \(rule.tag?.processID ?? 0)",
                    remedy: "linkcond reset -i \(name)"
                )
            }
            let plan = try Planner(state, .current()).apply(request)
            let conditioner = Conditioner(connection)
            try conditioner.require(plan.requirements)
            progress.value.index = state.link.index
            try conditioner.build(plan, on: name)
            progress.value.isOn = true
            return plan.notes
        } catch let error as ConditioningError {
            throw SandboxError(error)
        } catch let error as SandboxError {
            throw error
        } catch {
            throw SandboxError("unforeseen: \(error)")
        }
    }

    /// Nothing: `linkcond switch` finds the rule in the kernel.
    public var environment: [(name: String, value: String)] { [] }

    /// Nothing.
    public mutating func serve() {}

    /// None.
    public func duty(of process: CInt) -> String? { nil }

    /// Takes the conditions off.
    public mutating func leave() throws(SandboxError) -> [String] {
        try takeOff(request.origin.processID)
    }

    /// Takes off what a keeper that was killed put on.
    public mutating func forsake(keeper: CInt) throws(SandboxError) {
        _ = try takeOff(keeper)
    }

    /// Takes off this run's rule, and what `owner`, or somebody who switched the rule and is gone, left of it.
    private func takeOff(_ owner: CInt) throws(SandboxError) -> [String] {
        let connection = try RouteConnection.here()
        let progress = progress.value
        // Nothing was made yet.
        guard progress.index != 0 else { return [] }
        do {
            guard let state = try present(connection, progress.index) else {
                return try takeRestOff(connection, progress.index)
            }
            let rule = state.rules.first { $0.selection == request.selection }
            let isOurs = progress.isOn || rule?.tag?.processID == owner
            let planner = Planner(state, .current())
            var losses = try Conditioner(connection)
                .retire(planner.remove(isOurs ? request.selection : nil, owner: owner))
            for maker in abandoned(in: state) {
                losses += try Conditioner(connection).retire(planner.remove(nil, owner: maker))
            }
            return losses.map { "\($0), dropped" }
        } catch {
            throw SandboxError(error)
        }
    }

    /// The interface as it is now; nil where it is gone, whatever bears its name.
    private func present(_ connection: RouteConnection, _ index: Int32) throws(ConditioningError) -> DeviceState? {
        do {
            let state = try device(connection)
            return state.link.index == index ? state : nil
        } catch  where error.code == .notFound {
            return nil
        }
    }

    /// Takes away what is left where the interface itself went away: its filters went with it, the lanes did not.
    private func takeRestOff(_ connection: RouteConnection, _ index: Int32) throws(ConditioningError) -> [String] {
        let lanes: [LaneState]
        do {
            lanes = try Inspector(connection).conditionedDevices().abandoned
        } catch {
            throw ConditioningError(error)
        }
        var plan = Plan()
        plan.retire = lanes.filter { $0.name.deviceIndex == index }.map { .deleteIFB($0.name.description) }
        return try Conditioner(connection).retire(plan)
    }

    /// The processes that made lanes for this run's traffic to which no filter leads any more, and have ended.
    private func abandoned(in state: DeviceState) -> Set<CInt> {
        guard progress.value.isOn else { return [] }
        let makers = state.orphans.map(\.tag).filter { $0.selection == request.selection }.map(\.processID)
        return Set(makers.filter { kill($0, 0) < 0 && errno == ESRCH })
    }

    private func device(_ connection: RouteConnection) throws(ConditioningError) -> DeviceState {
        do {
            return try Inspector(connection).device(named: name)
        } catch {
            throw ConditioningError(error)
        }
    }
}
