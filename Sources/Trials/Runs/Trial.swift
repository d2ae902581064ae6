// SPDX-License-Identifier: Apache-2.0

/// One of several runs of a command, in a process of its own.
package struct Trial {
    /// What it is called in tables.
    package let name: String
    package let plan: ObservedPlan
    /// The name of its directory in that of the report; nil if none is kept.
    package let directory: String?
    /// Whether its progress is shown.
    package let isWatched: Bool

    /// A run as planned, but for its seed.
    ///
    /// - Parameters:
    ///   - report: the directory of the report on all; nil for none.
    ///   - directory: the name of the run's own in it.
    package init(
        _ name: String,
        _ plan: ObservedPlan,
        seed: UInt64?,
        report: String? = nil,
        directory: String = "",
        isWatched: Bool = false
    ) {
        self.plan = plan.varied(seed: seed, report: report.map { "\($0)/\(directory)" })
        (self.name, self.isWatched) = (name, isWatched)
        self.directory = report.map { _ in directory }
    }
}
