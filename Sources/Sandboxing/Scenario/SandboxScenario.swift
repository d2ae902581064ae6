// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
internal import LinkProfiles
package import ProfileCatalog

/// The conditions of a private network, which a scenario may change.
package struct RunConditions: Sendable {
    /// What holds from the start, with the engine and the seed that the user named.
    package var request: RuleRequest
    /// What changes it while the command runs; nil for nothing.
    package var scenario: SandboxScenario?
    /// The conditions of parts of the traffic, which nothing changes.
    package var rules: [RuleRequest] = []

    package init(_ request: RuleRequest) { self.request = request }

    /// The conditions of a scenario, each of whose profiles becomes a request.
    package init(_ loaded: LoadedScenario, _ request: (LoadedProfile) throws -> RuleRequest) rethrows {
        self.request = try request(loaded.first)
        let steps = try zip(loaded.scenario.steps, loaded.steps).map { step, profile in
            SandboxScenario.Step(
                label: step.label,
                trigger: step.after,
                request: try request(profile),
                queued: step.queued,
                changes: step.changes
            )
        }
        scenario = SandboxScenario(name: loaded.scenario.name, steps: steps, repeat: loaded.scenario.repeat)
    }

    /// All requests, that of the start first.
    package var requests: [RuleRequest] { [request] + (scenario?.steps ?? []).map(\.request) + rules }

    /// Has all requests use this seed.
    package mutating func setSeed(_ seed: UInt64) {
        request.seed = seed
        for index in (scenario?.steps ?? []).indices { scenario?.steps[index].request.seed = seed }
        for index in rules.indices { rules[index].seed = seed }
    }

    /// The recordings of all requests.
    var recordings: Recordings {
        requests.reduce(into: [:]) { $0.merge($1.recordings) { first, _ in first } }
    }
}

/// The steps of a scenario, with everything that they need.
package struct SandboxScenario: Sendable {
    package var name: String
    var steps: [Step]
    /// How many times the steps run.
    var `repeat`: Int

    struct Step {
        /// The name for events and notes.
        var label: String
        /// What it waits for, from the step before it on.
        var trigger: Trigger
        /// The conditions that it brings into effect.
        var request: RuleRequest
        /// What becomes of the packets that the link holds then.
        var queued: Scenario.QueuedPackets
        /// What changes of the uplink's network.
        var changes: NetworkChanges
    }

    /// Whether a step changes the uplink's network.
    var changesNetwork: Bool { steps.contains { !$0.changes.isEmpty } }

    /// Throws the reason why the engine cannot carry a step, so that no step fails during the run.
    func check(
        _ conditioner: EphemeralConditioner,
        _ engine: Engine,
        on devices: [String]
    ) throws(ConditioningError) {
        var checked: Set<Profile> = []
        if engine == .netem, let step = steps.first(where: { $0.queued == .dropped }) {
            throw ConditioningError(
                .unsupported,
                "step '\(step.label)': netem delivers the packets that it holds; only the userspace engine can drop them"
            )
        }
        if let step = steps.first(where: { !$0.changes.isEmpty }) {
            guard engine == .userspace else {
                throw ConditioningError(
                    .unsupported,
                    "step '\(step.label)': netem cannot change the network; only the userspace engine can"
                )
            }
            guard devices.contains(Uplink.interface) else {
                throw ConditioningError(
                    .unsupported,
                    "step '\(step.label)': \(step.changes.words[0]) needs an uplink, and this sandbox is offline",
                    remedy: "it without --offline"
                )
            }
        }
        if !devices.contains(Uplink.interface),
            let step = steps.first(where: { !$0.request.profile.networkKeys.isEmpty })
        {
            let key = step.request.profile.networkKeys[0]
            throw ConditioningError(
                .unsupported,
                "step '\(step.label)': \"\(key)\" needs an uplink, and this sandbox is offline",
                remedy: "it without --offline"
            )
        }
        for step in steps where checked.insert(step.request.profile).inserted {
            var request = step.request
            request.engine = engine
            do {
                _ = try conditioner.plan(request, on: devices)
            } catch {
                var error = error
                error.message = "step '\(step.label)': \(error.message)"
                throw error
            }
        }
    }
}
