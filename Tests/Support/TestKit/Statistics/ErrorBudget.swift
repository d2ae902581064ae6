// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Divides the chance that a suite fails although all is right among its checks (Bonferroni).
public struct ErrorBudget: Sendable {
    /// The chance that one or more of the checks fail although all is right.
    public let suite: Double
    /// How many checks share it.
    public let checks: Int
    /// A check fails once it has failed in so many independent runs.
    public let runs: Int

    /// Divides `suite` among `checks`.
    public init(suite: Double = 0.001, checks: Int, runs: Int = 2) {
        self.suite = suite
        self.checks = checks
        self.runs = runs
    }

    /// The chance with which a single run of a single check may fail although all is right: with two runs its square is
    /// the check's share.
    public var perRun: Double { pow(suite / Double(checks), 1 / Double(runs)) }
}
