// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
internal import LinkProfiles
package import ProfileCatalog

/// The conditions of a private network, which a scenario may change.
package struct RunConditions: Sendable {
    /// The conditions from the start, with the engine and the seed that the user named.
    package var request: RuleRequest
    /// The scenario that changes the conditions while the command runs; nil for none.
    package var scenario: SandboxScenario?
    /// The rules of the run: conditions for parts of the traffic, which no step or client changes.
    package var rules: [RuleRequest] = []
    /// The uplinks, if each has conditions of its own: `request` is then for loopback. Otherwise, `request` is for
    /// both.
    package var paths: [Path] = []

    /// One of several uplinks, with its conditions.
    package struct Path: Sendable {
        /// The name of the uplink's interface.
        package var name: String
        /// The conditions from the start.
        package var request: RuleRequest

        package init(name: String, request: RuleRequest) { (self.name, self.request) = (name, request) }
    }

    package init(_ request: RuleRequest) { self.request = request }

    /// Makes the conditions of a scenario. `request` turns each of its profiles into a request.
    package init(_ loaded: LoadedScenario, _ request: (LoadedProfile) throws -> RuleRequest) rethrows {
        self.request = try request(loaded.first)
        let steps = try zip(loaded.scenario.steps, loaded.steps).map { step, profile in
            SandboxScenario.Step(
                label: step.label,
                trigger: step.after,
                request: try request(profile),
                queued: step.queued,
                changes: step.changes,
                path: step.path
            )
        }
        paths = try zip(loaded.scenario.paths, loaded.paths).map { path, profile in
            Path(name: path.name, request: try request(profile))
        }
        scenario = SandboxScenario(name: loaded.scenario.name, steps: steps, repeat: loaded.scenario.repeat)
    }

    /// All requests, with the first conditions first.
    package var requests: [RuleRequest] {
        [request] + paths.map(\.request) + (scenario?.steps ?? []).map(\.request) + rules
    }

    /// The name of the first profile; the names for all interfaces, if each uplink has its own.
    package var profileName: String {
        guard !paths.isEmpty else { return request.profile.name }
        let loopback = request.profile.lanes.isEmpty ? [] : [Self.words(request.profile.name, on: "lo")]
        return (loopback + paths.map { Self.words($0.request.profile.name, on: $0.name) }).joined(separator: ", ")
    }

    /// The name of a profile, and the interface on which it is in effect, if each has conditions of its own.
    package static func words(_ profile: String, on path: String?) -> String {
        path.map { "\(profile) on \($0)" } ?? profile
    }

    /// Has all requests use this seed.
    package mutating func setSeed(_ seed: UInt64) {
        request.seed = seed
        for index in paths.indices { paths[index].request.seed = seed }
        for index in (scenario?.steps ?? []).indices { scenario?.steps[index].request.seed = seed }
        for index in rules.indices { rules[index].seed = seed }
    }

    /// The recordings of all requests.
    var recordings: Recordings {
        requests.reduce(into: [:]) { $0.merge($1.recordings) { first, _ in first } }
    }
}

/// A scenario with the data that its steps need.
package struct SandboxScenario: Sendable {
    package var name: String
    var steps: [Step]
    /// The number of runs of the steps.
    var `repeat`: Int

    struct Step {
        /// The name for events and notes.
        var label: String
        /// The condition that starts the step, counted from the step before.
        var trigger: Trigger
        /// The conditions that the step brings into effect.
        var request: RuleRequest
        /// The fate of the packets that are in the link's queues when the step starts.
        var queued: Scenario.QueuedPackets
        /// The changes to the uplink's network.
        var changes: NetworkChanges
        /// The interface of the step, if each has conditions of its own; otherwise nil.
        var path: String?

        /// The name of the step's profile, with the interface, if any.
        var profileName: String { RunConditions.words(request.profile.name, on: path) }
    }

    /// Whether a step changes the uplink's network.
    var changesNetwork: Bool { steps.contains { !$0.changes.isEmpty } }

    /// Whether a step ends connections that are open, so that the engine must have seen them open.
    var endsOpenConnections: Bool { steps.contains { $0.request.profile.endsOpenConnections } }
}

extension SandboxScenario.Step {
    /// Throws the reason if the engine cannot carry the step on these interfaces, so that no step fails during the run.
    func check(
        _ conditioner: EphemeralConditioner,
        _ engine: Engine,
        on devices: [String],
        hasUplink: Bool
    ) throws(ConditioningError) {
        func refusal(_ reason: String, remedy: Remedy? = nil) -> ConditioningError {
            ConditioningError(.unsupported, "step '\(label)': \(reason)", remedy: remedy)
        }
        if engine == .netem, queued == .dropped {
            throw refusal("netem delivers the packets that it holds; only the userspace engine can drop them")
        }
        if engine == .netem, !changes.isEmpty {
            throw refusal("netem cannot change the network; only the userspace engine can")
        }
        if !hasUplink, let thing = changes.words.first ?? request.profile.networkKeys.first.map({ "\"\($0)\"" }) {
            throw refusal("\(thing) needs an uplink, and this sandbox is offline", remedy: "it without --offline")
        }
        var request = request
        request.engine = engine
        do {
            _ = try conditioner.plan(request, on: devices)
        } catch {
            throw refusal(error.message, remedy: error.remedy)
        }
    }
}
