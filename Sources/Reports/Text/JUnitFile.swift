// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation

/// junit.xml, which systems of continuous integration read: a suite for each run, a test case for each expectation and
/// one for the command.
package struct JUnitFile {
    /// The output of a command is cut to this many characters, its end kept.
    private static let longestOutput = 64 << 10

    private let suites: [Markup]

    /// The file of one run.
    ///
    /// - Parameter isStrict: whether an expectation without an answer is a failure; it is skipped otherwise.
    package init(_ report: RunReport, strict isStrict: Bool) {
        let hasFailed = report.outcome != .exited(0) || report.verdict == .fail
        let output = hasFailed ? report.output?.lastLines(100) ?? [] : []
        suites = [Self.suite(report, named: report.title, command: Self.command(report), isStrict, output: output)]
    }

    /// The file of several runs.
    package init(_ trials: TrialsReport, strict isStrict: Bool) {
        suites = trials.trials.map { trial in
            guard let report = trial.report else {
                let error = Self.problem("error", "linkcond failed", trial.failure ?? "")
                let test = Self.testCase("the command", in: trial.name, trial.duration, [error])
                return Self.suite(trial.name, [test], (1, 0, 1, 0), trial.duration, nil, [], trial.lastLines)
            }
            return Self.suite(
                report,
                named: trial.name,
                command: Self.command(report),
                isStrict,
                output: trial.lastLines
            )
        }
    }

    /// The file as text.
    package var text: String {
        // Not "skipped": the schema of Jenkins allows it for suites only.
        let names = ["tests", "failures", "errors"]
        let sums = names.map { name in
            suites.reduce(0) { sum, suite in
                sum + (suite.attributes.first { $0.name == name }.flatMap { Int($0.value) } ?? 0)
            }
        }
        var root = Markup("testsuites", ["name": "linkcond"], suites)
        for (name, sum) in zip(names, sums) { root.attributes.append((name: name, value: "\(sum)")) }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + root.document + "\n"
    }

    private static func suite(
        _ report: RunReport,
        named name: String,
        command: Markup,
        _ isStrict: Bool,
        output: [String]
    ) -> Markup {
        var tests = [command]
        var counts = (tests: 1, failures: report.outcome == .exited(0) ? 0 : 1, errors: 0, skipped: 0)
        for result in report.results {
            var content: [Markup] = []
            switch result.verdict {
            case .pass: break
            case .fail:
                counts.failures += 1
                content = [problem("failure", result.finding, result.details(report))]
            case .inconclusive where isStrict:
                counts.failures += 1
                content = [problem("failure", "inconclusive: \(result.finding)", result.details(report))]
            case .inconclusive, .skipped:
                counts.skipped += 1
                content = [Markup("skipped", ["message": "\(result.verdict.word): \(result.finding)".visible])]
            }
            counts.tests += 1
            tests.append(testCase(result.expectation, in: name, nil, content))
        }
        return suite(
            name,
            tests,
            (counts.tests, counts.failures, counts.errors, counts.skipped),
            report.duration,
            report.beginText,
            report.properties,
            output
        )
    }

    private static func suite(
        _ name: String,
        _ tests: [Markup],
        _ counts: (tests: Int, failures: Int, errors: Int, skipped: Int),
        _ duration: Duration,
        _ begin: String?,
        _ properties: [(String, String)],
        _ output: [String]
    ) -> Markup {
        var suite = Markup(
            "testsuite",
            [
                "name": name.shortened(to: 500), "tests": "\(counts.tests)", "failures": "\(counts.failures)",
                "errors": "\(counts.errors)", "skipped": "\(counts.skipped)", "time": duration.seconds,
            ]
        )
        // Without a zone, as the schema of Jenkins and of Ant has it.
        if let begin { suite.attributes.append((name: "timestamp", value: String(begin.dropLast()))) }
        if !properties.isEmpty {
            let list = properties.map { Markup("property", ["name": $0.0, "value": $0.1.shortened(to: 4000)]) }
            suite.content.append(.element(Markup("properties", [:], list)))
        }
        suite.content += tests.map { .element($0) }
        if !output.isEmpty {
            let text = String(output.joined(separator: "\n").suffix(longestOutput))
            suite.content.append(.element(Markup("system-out", text: text)))
        }
        return suite
    }

    private static func command(_ report: RunReport) -> Markup {
        let problems =
            report.outcome == .exited(0)
            ? [] : [problem("failure", report.outcome.sentence, "to repeat it: \(report.repetitionLine)")]
        return testCase("the command exits with 0", in: report.title, report.duration, problems)
    }

    private static func testCase(
        _ name: String,
        in suite: String,
        _ duration: Duration?,
        _ content: [Markup]
    ) -> Markup {
        // A point would make Jenkins take what is before it for a package.
        let place = "linkcond.\(suite.shortened(to: 500).split(separator: ".").joined(separator: "_"))"
        let attributes: KeyValuePairs = [
            "classname": place, "name": name.shortened(to: 500), "time": (duration ?? .zero).seconds,
        ]
        return Markup("testcase", attributes, content)
    }

    private static func problem(_ kind: String, _ message: String, _ text: String) -> Markup {
        Markup(kind, ["message": message.shortened(to: 2000), "type": "linkcond"], text: text)
    }
}

extension RunReport {
    /// The command line that repeats the run.
    package var repetitionLine: String { setting.repetition.map(\.shellWord).joined(separator: " ") }

    fileprivate var properties: [(String, String)] {
        var properties = [("command", setting.command.map(\.shellWord).joined(separator: " "))]
        if let scenario = setting.scenario { properties.append(("scenario", scenario)) }
        if let profile = setting.profile { properties.append(("profile", profile)) }
        return properties + [
            ("seed", "\(setting.seed)"), ("engine", setting.engine), ("kernel", setting.kernel),
            ("linkcond", setting.version), ("repeat", repetitionLine),
        ]
    }
}

extension RunReport.Result {
    /// What a failure says besides its message.
    fileprivate func details(_ report: RunReport) -> String {
        var lines = ["\(expectation): \(finding)"]
        if !packets.isEmpty {
            let shown = packets.prefix(20).map(String.init).joined(separator: ", ")
            lines.append("packets: \(shown)\(packets.count > 20 ? " and \(packets.count - 20) more" : "")")
        }
        if let remedy { lines.append("what usually helps: \(remedy)") }
        lines.append("to repeat it: \(report.repetitionLine)")
        return lines.joined(separator: "\n")
    }
}

extension Duration {
    /// Seconds with three digits, as JUnit's files have them.
    fileprivate var seconds: String {
        let milliseconds = Int64((self / .milliseconds(1)).rounded())
        let digits = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
