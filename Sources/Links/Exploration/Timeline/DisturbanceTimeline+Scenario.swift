// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension DisturbanceTimeline {
    /// The timeline as a scenario with inline profiles.
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

    /// The labels of the scenario's steps.
    package var labels: [String] { scenario(named: "Explored").labels }

    /// Whether the last step restores the conditions of the start.
    package var isRestored: Bool { moments.later.last?.isRestored ?? false }

    /// The reason why the timeline is not a valid scenario; nil if it is one.
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
        // No kind is named "restored", the label of the last step.
        var (candidate, number) = (label, 2)
        while others.contains(candidate) {
            candidate = "\(label) \(number)"
            number += 1
        }
        return candidate
    }
}
