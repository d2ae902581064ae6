// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkConditioning
internal import SocketServing

/// Plays the scenario of a run, or one that a client of the control socket has sent.
///
/// Used on a single thread: the one that changes conditions.
final class ScenarioPlayer {
    /// Whether the run has a scenario of its own, beside which no client may play one.
    let hasScenarioOfRun: Bool
    private let conditions: SandboxConditions
    private let events: RunEvents
    /// The uplinks' interfaces.
    private let uplinks: [String]
    /// The runner of the steps; nil without a scenario.
    private(set) var runner: ScenarioRunner?
    private var loop: EventLoop?

    /// Prepares the scenario of the run, if there is one. Time and bytes count from now.
    init(_ scenario: SandboxScenario?, _ conditions: SandboxConditions, _ events: RunEvents, uplinks: [String]) {
        (self.conditions, self.events, self.uplinks) = (conditions, events, uplinks)
        hasScenarioOfRun = scenario != nil
        runner = scenario.map { ScenarioRunner($0, conditions, events, uplinks: uplinks, isRequestedInside: false) }
    }

    /// Waits for the first step of the run's scenario, on the loop of the thread that changes conditions.
    func start(on loop: EventLoop) {
        self.loop = loop
        runner?.start(on: loop)
    }

    /// Brings the first conditions of a client's scenario into effect, and waits for its first step. Ends an earlier
    /// scenario of a client. The old lanes must have drained.
    ///
    /// - Parameter client: the process that sent the scenario, for the record.
    func play(_ played: RunConditions, by client: String?) throws(ConditioningError) {
        if let scenario = played.scenario { try conditions.prepare(for: scenario) }
        let first = played.request
        let start = try conditions.change(to: first.profile, by: .client(client), seed: first.seed)
        _ = stop()
        conditions.played.add(first.profile, on: nil, at: start)
        events.post(.conditions(profile: first.profile.name, by: client), at: start)
        runner = played.scenario.map {
            ScenarioRunner($0, conditions, events, uplinks: uplinks, isRequestedInside: true)
        }
        if let loop { runner?.start(on: loop) }
    }

    /// Ends a client's scenario; returns notes for the user. The conditions in effect stay, but a link that is down
    /// comes up.
    func stop() -> [String] {
        guard let ended = runner else { return [] }
        runner = nil
        let notes = ended.stop()
        do {
            try conditions.restoreNetwork()
            return notes
        } catch {
            return notes + ["the link of the uplink stays down: \(error.description)"]
        }
    }

    /// Ends the scenario when the command has ended; returns notes for the user.
    func end() -> [String] { runner?.end() ?? [] }
}
