// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning
internal import LinuxSystem
internal import Netlink

/// One of the host's interfaces, conditioned as long as the command runs.
public struct ConditionedInterface: Surroundings {
    private let name: String
    private var request: RuleRequest
    private let engine: Engine?
    private let recordings: Recordings
    private var guardian: Guardian?
    private let progress: SharedCell<Progress>

    private struct Progress: BitwiseCopyable {
        /// The interface's index; 0 until something is made.
        var index: Int32 = 0
        /// Whether the conditions are on: the rule is this run's then, whoever switches it later, and until then it
        /// may be somebody else's, for whose sake this run is refused.
        var isOn = false
    }

    /// Describes it; nothing is changed yet.
    ///
    /// - Parameters:
    ///   - engine: what is to carry the conditions; nil leaves that to what the kernel can do.
    ///   - recordings: those that the profile names.
    public init(
        _ name: String,
        _ request: RuleRequest,
        engine: Engine? = nil,
        recordings: Recordings = [:]
    ) throws(SandboxError) {
        self.name = name
        self.request = request
        self.engine = engine
        self.recordings = recordings
        progress = try onSystem { () throws(SystemError) in try SharedCell(Progress()) }
    }

    /// Puts the conditions on.
    public mutating func enter(watching front: CInt) throws(SandboxError) -> [String] {
        request.origin = .here
        let connection = try RouteConnection.here()
        do {
            let claim = try Claim(name, connection, journal: try Journal.open(), command: "run")
            defer { claim.release() }
            if let rule = claim.state.rules.first(where: { $0.selection == request.selection }) {
                let scope = rule.selection.isEverything ? "" : " for traffic \(rule.selection)"
                throw SandboxError(
                    "\(name) has \"\(rule.tag?.profile ?? "")\"\(scope) already, "
                        + "from process \(rule.tag?.processID ?? 0)",
                    remedy: "linkcond reset -i \(name)"
                )
            }
            let choice = EngineChoice(engine, request, [claim.planner], Conditioner(connection))
            let plan = try choice.plan(claim.planner, request)
            progress.value.index = claim.state.link.index
            let rule = { [request] (guardian: ProcessIdentity) in
                let ending = JournalEntry.Ending(guardian: guardian, isTied: true)
                return JournalEntry.Rule(request, choice.engine, owner: .current, ending: ending)
            }
            try choice.require(plan, Conditioner(connection))
            if !plan.taps.isEmpty { guardian = try startPump(plan, on: claim, rule) }
            let isOn = { progress.value.isOn = true }
            let notes = claim.notes + [choice.note].compactMap { $0 } + plan.notes
            return try notes + claim.put(rule(guardian?.identity ?? .current), as: plan, ready: isOn)
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

    /// Names the process that ends when what carries the conditions does.
    public func duty(of process: CInt) -> String? {
        process == guardian?.identity.processID ? "what carries the conditions of \(name)" : nil
    }

    /// It ends by itself, once the conditions are off.
    public var attendant: CInt? { guardian?.identity.processID }

    private func startPump(
        _ plan: Plan,
        on claim: Claim,
        _ rule: (ProcessIdentity) -> JournalEntry.Rule
    ) throws(SandboxError) -> Guardian {
        guard claim.entry != nil else {
            throw SandboxError(
                "what a process carries needs a journal, and there is no $XDG_RUNTIME_DIR for it",
                remedy: "LINKCOND_STATE_DIR=DIRECTORY linkcond ..."
            )
        }
        let device = PumpedDevice(name: name, taps: plan.taps)
        let task = PumpTask(device: device, profile: request.conditions, recordings: recordings)
        return try Guardian.start(on: claim, pump: task, isTied: true, rule)
    }

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
            guard try present(connection, progress.index) != nil else {
                return try takeRestOff(connection, progress.index)
            }
            let claim = try claim(connection)
            defer { claim.release() }
            let rule = claim.state.rules.first { $0.selection == request.selection }
            let isOurs = progress.isOn || rule?.tag?.processID == owner
            var losses: [String] = []
            if isOurs {
                losses = try Conditioner(connection).retire(claim.beginRemoval(of: request.selection))
                claim.finishRemoval(of: request.selection)
            }
            // What the keeper, or somebody who switched the rule and is gone, left without traffic.
            for maker in abandoned(in: claim.state).union([owner]) {
                losses += try Conditioner(connection).retire(claim.planner.remove(nil, owner: maker))
            }
            return losses.map { "\($0), dropped" }
        } catch {
            throw SandboxError(error)
        }
    }

    /// The interface, for taking the conditions off: nothing of the journal may stand in the way of that.
    private func claim(_ connection: RouteConnection) throws(ConditioningError) -> Claim {
        let journal: Journal?
        do {
            journal = try Journal.open()
        } catch {
            journal = nil
        }
        do {
            return try Claim(
                name,
                connection,
                journal: journal,
                command: "run",
                patience: Self.patience,
                strictness: .lenient
            )
        } catch  where error.code == .busy {
            return try Claim(name, connection, journal: nil, command: "run")
        }
    }

    /// Somebody else's change lasts no longer, as lanes drain for ten seconds at most.
    private static let patience = Duration.seconds(15)

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
        plan.retire = lanes.filter { $0.name.deviceIndex == index }.map { .deleteDevice($0.name.description) }
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
