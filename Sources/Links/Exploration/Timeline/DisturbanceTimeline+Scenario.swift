// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension DisturbanceTimeline {
    /// The timeline as a scenario, whose profiles are in it.
    ///
    /// - Parameter name: the scenario's name.
    package func scenario(named name: String) -> Scenario {
        let (start, later) = moments
        var (time, labels) = (Duration.zero, Set<String>())
        let steps = later.map { moment in
            var step = Scenario.Step(
                label: Self.label(of: moment, unlike: labels),
                after: .time(moment.time - time),
                profile: ProfileReference(.inline(moment.conditions))
            )
            step.changes = moment.changes
            time = moment.time
            labels.insert(step.label)
            return step
        }
        return Scenario(name: name, profile: ProfileReference(.inline(start)), steps: steps)
    }

    /// The labels of its steps.
    package var labels: [String] { scenario(named: "Explored").labels }

    /// Whether it has a step from which on everything is as at the start.
    package var isRestored: Bool { moments.later.last?.isRestored ?? false }

    /// The mistake that keeps it from being written and read back; nil if there is none.
    package var problem: InvalidProfile? {
        do throws(InvalidProfile) {
            _ = try Scenario(json: scenario(named: "Explored").json)
            return nil
        } catch {
            return error
        }
    }

    private static func label(of moment: Moment, unlike others: Set<String>) -> String {
        guard !moment.isRestored else { return restored }
        let word = moment.begins.first?.kind.rawValue ?? moment.ends.first.map { "end of \($0.kind.rawValue)" }
        let label = word ?? "step"
        // The label differs from "restored", which the last step has.
        var (candidate, number) = (label, 2)
        while others.contains(candidate) {
            candidate = "\(label) \(number)"
            number += 1
        }
        return candidate
    }
}
