// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import Sandboxing

/// One of several runs of a command, in a process of its own.
package struct Trial {
    /// Its name in tables.
    package let name: String
    package private(set) var plan: ObservedPlan
    /// The name of its directory in that of the report; nil if none is kept.
    package let directory: String?
    /// Whether its progress is shown.
    package let isWatched: Bool

    /// A run as planned, but for its seed. It has a directory of its own in that of the report on all, if there is one.
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
        plan.options += report.map { ["--report", "\($0)/\(directory)"] } ?? []
        (self.name, self.plan, self.isWatched) = (name, plan, isWatched)
        self.directory = report.map { _ in directory }
    }

    /// The trial beside others, which share the memory.
    func beside(_ count: Int) -> Trial {
        var trial = self
        trial.plan.memory /= max(count, 1)
        return trial
    }
}
