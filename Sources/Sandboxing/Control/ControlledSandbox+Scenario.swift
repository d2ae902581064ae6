// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import ProfileCatalog
internal import SandboxClient

extension ControlledSandbox {
    /// Plays the scenario in a body, from now on.
    func play(_ body: [UInt8]) -> ControlAPI.Answer {
        guard let player = scenario else { return ControlAPI.refuse(.refused, "this sandbox plays no scenarios") }
        guard !player.hasScenarioOfRun else {
            return ControlAPI.refuse(.busy, "the run plays a scenario of its own: leave out --scenario")
        }
        let loaded: LoadedScenario
        do {
            loaded = try LoadedScenario.received(utf8: body, catalog: catalog)
        } catch {
            return ControlAPI.refuse(.badScenario, error.description)
        }
        let profiles = ([loaded.first] + loaded.steps).map(\.profile)
        if let recorded = profiles.first(where: { !$0.traceReferences.isEmpty }) {
            // They would be read with the supervisor's privileges, which may exceed the client's.
            return ControlAPI.refuse(.badScenario, "\(recorded.name) plays a recording, which cannot be sent")
        }
        let steps = zip(loaded.scenario.steps, loaded.steps).map { step, profile in
            SandboxScenario.Step(
                label: step.label,
                trigger: step.after,
                request: RuleRequest(profile: profile.profile)
            )
        }
        let scenario = SandboxScenario(steps: steps, repeat: loaded.scenario.repeat)
        do {
            try conditions.check(scenario)
            try player.play(scenario, from: RuleRequest(profile: loaded.first.profile))
            return ControlAPI.Answer(
                status: 200,
                body: JSON(("scenario", .text(loaded.scenario.name)))
            )
        } catch {
            return ControlAPI.refuse(error)
        }
    }

    /// Ends the scenario that a client plays. The answer tells which steps never began, or failed.
    func stopPlaying() -> ControlAPI.Answer {
        guard scenario?.hasScenarioOfRun != true else {
            return ControlAPI.refuse(.busy, "the run plays a scenario of its own, which ends with the command")
        }
        let notes = scenario?.stop() ?? []
        return ControlAPI.Answer(status: 200, body: JSON(("notes", .list(notes.map { JSON(.string($0)) }))))
    }
}
