// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
package import LinkProfiles

/// The steps of a scenario, with everything that they need.
package struct SandboxScenario: Sendable {
    /// The steps in their order.
    package var steps: [Step]
    /// How many times they run.
    package var `repeat`: Int

    /// A step.
    package struct Step: Sendable {
        /// The name for events and notes.
        package var label: String
        /// What it waits for, from the step before it on.
        package var trigger: Trigger
        /// The conditions that it brings into effect.
        package var request: RuleRequest

        /// Makes a step.
        package init(label: String, trigger: Trigger, request: RuleRequest) {
            (self.label, self.trigger, self.request) = (label, trigger, request)
        }
    }

    /// Makes a scenario.
    package init(steps: [Step], repeat: Int = 1) {
        (self.steps, self.repeat) = (steps, `repeat`)
    }

    /// Has all steps use this seed.
    package mutating func setSeed(_ seed: UInt64) {
        for index in steps.indices { steps[index].request.seed = seed }
    }

    /// The recordings of all steps.
    var recordings: Recordings {
        steps.reduce(into: [:]) { $0.merge($1.request.recordings) { first, _ in first } }
    }

    /// Throws the reason why the engine cannot carry a step, so that no step fails during the run.
    func check(
        _ conditioner: EphemeralConditioner,
        _ engine: Engine,
        on devices: [String]
    ) throws(ConditioningError) {
        var checked: Set<Profile> = []
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
