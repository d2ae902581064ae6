// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientVerdicts

/// The options for judging the command.
struct ObservationOptions: ParsableArguments {
    @Option(
        name: .customLong("expect"),
        help:
            "What the command is expected to do, such as 'completes within 30 s' (\"linkcond help expectations\"); repeatable."
    )
    var texts: [String] = []

    @Option(
        name: .long,
        help: "Write report.html, report.json, junit.xml, summary.md and packets.pcapng to this directory."
    )
    var report: String?

    @Flag(name: .long, help: "Capture the packets, so that tests inside can ask for verdicts.")
    var observe = false

    @Flag(name: .long, help: "Exit with 1 for a verdict that is inconclusive, too.")
    var strict = false

    @Flag(name: .long, help: "End the command as soon as an expectation can no longer hold.")
    var failFast = false

    func validate() throws { _ = try expectations() }

    /// Parses the expectations, which `validate` has already checked.
    ///
    /// - Parameter labels: the labels in the scenario, to detect misspelt ones; nil without a scenario.
    func expectations(labels: [String]? = nil) throws(ValidationError) -> [ClientExpectation] {
        let expectations = try Self.expectations(texts, of: "--expect:\n")
        for expectation in expectations {
            guard let label = expectation.misspeltLabel(among: labels ?? []) else { continue }
            throw ValidationError(
                "--expect '\(expectation)': no step is called '\(label.found)'; did you mean '\(label.nearest)'?"
            )
        }
        return expectations
    }

    /// Parses expectations; throws all mistakes together.
    ///
    /// - Parameter place: the text that precedes the mistakes in the error.
    static func expectations(_ texts: [String], of place: String) throws(ValidationError) -> [ClientExpectation] {
        var expectations: [ClientExpectation] = []
        var problems: [String] = []
        for text in texts {
            do throws(UnreadableExpectation) {
                expectations.append(try ClientExpectation(parsing: text))
            } catch {
                problems.append(error.description)
            }
        }
        guard problems.isEmpty else { throw ValidationError(place + problems.joined(separator: "\n")) }
        return expectations
    }

    var isUsed: Bool { !texts.isEmpty || report != nil || observe }
}
