// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import ProfileCatalog
internal import SandboxClient

extension ControlledSandbox {
    /// Plays the scenario in the body of a request, from now on.
    func play(_ body: [UInt8], by client: String?) -> ControlAPI.Answer {
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
        guard loaded.paths.isEmpty, conditions.paths.isEmpty else {
            let reason = loaded.paths.isEmpty ? "this sandbox has several uplinks" : "the scenario has paths"
            return ControlAPI.refuse(.badScenario, "\(reason): give the scenario to the run, as run --scenario FILE")
        }
        let profiles = ([loaded.first] + loaded.steps).map(\.profile)
        if let recorded = profiles.first(where: { !$0.traceReferences.isEmpty }) {
            // Recordings would be read with the supervisor's privileges, which may exceed the client's.
            return ControlAPI.refuse(.badScenario, "\(recorded.name) plays a recording, which cannot be sent")
        }
        do {
            try player.play(RunConditions(loaded) { RuleRequest(profile: $0.profile) }, by: client)
            return ControlAPI.Answer(body: JSON(("scenario", .text(loaded.scenario.name))))
        } catch {
            return ControlAPI.refuse(error)
        }
    }

    /// Returns a scenario that repeats the conditions so far, at their times if clients have changed them.
    func repetition() -> ControlAPI.Answer {
        var scenario = conditions.played.scenario(since: events?.history.start ?? .now)
        scenario.expect = intent.expectations.map { LocatedText(stringLiteral: $0) }
        for case .inline(let profile) in scenario.references.map(\.choice) where !profile.traceReferences.isEmpty {
            return ControlAPI.refuse(.unsupported, "\(profile.name) plays a recording, which a scenario does not have")
        }
        return ControlAPI.Answer(body: scenario.json)
    }

    /// Ends the scenario that a client plays. The answer lists the steps that never began, or failed.
    func stopPlaying() -> ControlAPI.Answer {
        guard scenario?.hasScenarioOfRun != true else {
            return ControlAPI.refuse(.busy, "the run plays a scenario of its own, which ends with the command")
        }
        let notes = scenario?.stop() ?? []
        return ControlAPI.Answer(body: JSON(("notes", .list(notes.map { JSON(.string($0)) }))))
    }
}
