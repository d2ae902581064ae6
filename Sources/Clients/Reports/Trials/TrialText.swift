// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The parts of one run in the files of several runs.
package struct TrialText: Sendable {
    /// The run in summary.json.
    package let summary: String
    /// The run in junit.xml.
    package let suite: String
    /// The numbers of test cases, failures, errors and skipped cases in the suite.
    package let counts: [Int]

    package init(summary: String, suite: String, counts: [Int]) {
        (self.summary, self.suite, self.counts) = (summary, suite, counts)
    }

    package init(_ trial: TrialsReport.Trial, strict isStrict: Bool) {
        summary = trial.json(below: "").text
        (suite, counts) = JUnitFile.suite(of: trial, strict: isStrict)
    }
}
