// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientVerdicts

/// What is expected of the command.
struct ExpectationOptions: ParsableArguments {
    @Option(
        name: .customLong("expect"),
        help:
            ArgumentHelp(
                "Expect this, such as 'completes within 30 s' (\"linkcond help expectations\"); repeatable.",
                valueName: "EXPECTATION"
            )
    )
    var texts: [String] = []

    @Flag(name: .long, help: "Exit with 1 for a verdict that is inconclusive, too.")
    var strict = false

    @Flag(name: .long, help: "End the command as soon as an expectation can no longer hold.")
    var failFast = false
}

struct ReportOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write report.html, report.json, junit.xml, summary.md and packets.pcapng to this directory.",
            valueName: "DIR"
        )
    )
    var report: String?
}

struct ObserveOptions: ParsableArguments {
    @Flag(name: .long, help: "Capture the packets, so that tests inside can ask for verdicts.")
    var observe = false
}

/// The options for judging the command.
struct ObservationOptions: ParsableArguments {
    @OptionGroup(title: "Judge") private var judging: ExpectationOptions
    @OptionGroup(title: "Output") private var output: ReportOptions
    @OptionGroup(title: "Rare") private var rare: ObserveOptions

    var texts: [String] { judging.texts }
    var strict: Bool { judging.strict }
    var failFast: Bool { judging.failFast }
    var report: String? { output.report }
    var observe: Bool { rare.observe }

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

    var isUsed: Bool { !texts.isEmpty || report != nil || observe || strict }
}
