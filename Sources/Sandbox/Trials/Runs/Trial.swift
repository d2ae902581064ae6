// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
package import Reports
internal import Sandboxing

/// One of several runs of a command. It has a process of its own.
package struct Trial {
    /// The trial's name in tables.
    package let name: String
    /// The trial's position in a list of trials; nil for a run of a search.
    package private(set) var entry: TrialList.Entry?
    package private(set) var plan: ObservedPlan
    /// The path of the trial's directory below that of the report on all trials; nil for none.
    package let directory: String?
    /// Whether the trial's progress is shown.
    package let isWatched: Bool

    /// Makes a trial of a plan with another seed. If there is a report on all trials, the trial's directory is inside
    /// that report's directory.
    package init(
        _ name: String,
        _ plan: ObservedPlan,
        seed: UInt64?,
        report: String? = nil,
        directory: String = "",
        isWatched: Bool = false
    ) {
        var plan = plan
        plan.sandbox.conditions?.request.seed = seed
        plan.evidence = report.map { .report("\($0)/\(directory)") } ?? .unnamed
        (self.name, self.plan, self.isWatched) = (name, plan, isWatched)
        self.directory = report.map { _ in directory }
    }

    /// Makes the trials of a list that are selected.
    ///
    /// - Parameters:
    ///   - plans: the plan of each network.
    ///   - report: the directory of the report on all trials; nil for none.
    package static func all(
        _ selection: TrialSelection,
        of plans: [ObservedPlan],
        report: String?,
        isWatched: Bool
    ) -> [Trial] {
        selection.entries.map { entry in
            let (seed, directory) = (entry.seed, entry.directory)
            let plan = plans[entry.network]
            var trial = Trial(entry.name, plan, seed: seed, report: report, directory: directory, isWatched: isWatched)
            trial.entry = entry
            return trial
        }
    }

    /// The trial with its share of the memory, if `count` trials run at the same time.
    func beside(_ count: Int) -> Trial {
        var trial = self
        trial.plan.memory /= max(count, 1)
        return trial
    }
}
