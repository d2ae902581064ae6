// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
internal import LinkConditioning
internal import NIOCore
internal import Synchronization

/// Plays the scenario of a run, or one that a client of the control socket has sent.
///
/// It is used on the event loop of the control server; only `position` and `end` may be called on any thread.
final class ScenarioPlayer: @unchecked Sendable {
    /// Whether the run has a scenario of its own, beside which no client may play one.
    let hasScenarioOfRun: Bool
    private let conditions: SandboxConditions
    private let events: RunEvents
    private let uplink: String?
    private let runner: Mutex<ScenarioRunner?>
    private var loop: (any EventLoop)?

    /// Prepares the scenario of the run, whose time and bytes count from now.
    ///
    /// - Parameters:
    ///   - scenario: nil if the run has none.
    ///   - uplink: the uplink's interface; nil if there is none.
    init(_ scenario: SandboxScenario?, _ conditions: SandboxConditions, _ events: RunEvents, uplink: String?) {
        (self.conditions, self.events, self.uplink) = (conditions, events, uplink)
        hasScenarioOfRun = scenario != nil
        runner = Mutex(scenario.map { ScenarioRunner($0, conditions, events, uplink: uplink) })
    }

    /// Waits for the first step of the run's scenario, on the event loop of the control server.
    func start(on loop: any EventLoop) {
        loop.execute { self.loop = loop }
        runner.withLock { $0 }?.start(on: loop)
    }

    /// Brings the first conditions of a client's scenario into effect, and waits for its first step. A scenario that a
    /// client has sent before ends. The old lanes must have drained.
    func play(_ scenario: SandboxScenario, from first: RuleRequest) throws(ConditioningError) {
        try conditions.change(to: first.profile, seed: first.seed)
        _ = stop()
        events.post(.conditions(profile: first.profile.name))
        let next = ScenarioRunner(scenario, conditions, events, uplink: uplink)
        runner.withLock { $0 = next }
        if let loop { next.start(on: loop) }
    }

    /// Whether the next step waits for the mark `name`.
    func awaits(_ name: String) -> Bool { runner.withLock { $0 }?.awaits(name) ?? false }

    /// Begins the next step if it waits for the mark `name`. The old lanes must have drained.
    ///
    /// - Returns: the step's label; nil if none began.
    func mark(_ name: String) -> String? { runner.withLock { $0 }?.mark(name) }

    /// The label of the step in effect, nil before the first, and the step that comes next; nil without a scenario.
    var position: ScenarioRunner.Position? { runner.withLock { $0 }?.position }

    /// Ends a client's scenario. The conditions in effect stay.
    ///
    /// - Returns: notes for the user.
    func stop() -> [String] {
        let ended = runner.withLock { runner in
            defer { runner = nil }
            return runner
        }
        return ended?.stop() ?? []
    }

    /// Ends the scenario: the command has ended.
    ///
    /// - Returns: notes for the user.
    func end() -> [String] { runner.withLock { $0 }?.end() ?? [] }
}
