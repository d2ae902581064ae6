// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts

/// junit.xml for continuous integration systems: a suite for each run, with test cases for the command, for each
/// expectation, for each part of the conditions that met no packet, and for each test inside the run.
package struct JUnitFile {
    /// The maximum number of characters of a command's output; the end is kept.
    private static let longestOutput = 64 << 10

    package let text: String

    /// The file of one run.
    ///
    /// - Parameter isStrict: whether an inconclusive expectation counts as a failure; otherwise, it counts as skipped.
    package init(_ report: RunReport, strict isStrict: Bool) {
        let output = report.verdict == .fail ? report.output?.lastLines(100) ?? [] : []
        let suite = Self.suite(report, named: report.title, isStrict, output)
        text = Self.head(Self.counts(of: suite)) + suite.document + Self.foot
    }

    /// The file of several runs, in pieces. The runs are read twice, since the totals stand at the file's beginning.
    ///
    /// - Parameter coverage: the share of a population that the client survives, which is a suite of its own.
    package static func write(_ runs: some Sequence<TrialText>, _ coverage: Coverage?, to write: (String) -> Void) {
        let coverage = coverage.map(suite)
        var totals = coverage.map(counts) ?? counted.map { _ in 0 }
        for run in runs { for (index, count) in run.counts.enumerated() { totals[index] += count } }
        write(head(totals))
        if let coverage { write(coverage.document) }
        for run in runs { write(run.suite) }
        write(foot)
    }

    /// The suite of one of several runs, and its counts.
    static func suite(of trial: TrialsReport.Trial, strict isStrict: Bool) -> (text: String, counts: [Int]) {
        let suite = suite(trial, isStrict)
        return (suite.document, counts(of: suite))
    }

    private static func suite(_ coverage: Coverage) -> Markup {
        let doubt = coverage.isConclusive ? [] : [Markup("skipped", ["message": coverage.sentence.visible])]
        // Its name stays the same from one run to the next.
        let test = testCase("coverage of \(coverage.name)", in: "coverage", nil, doubt)
        var suite = suite("coverage of \(coverage.name)", [test], .zero, nil, [coverage.sentence])
        let properties = coverage.properties.map { Markup("property", ["name": $0.name, "value": $0.value]) }
        suite.content.insert(.element(Markup("properties", properties)), at: 0)
        return suite
    }

    private static func suite(_ trial: TrialsReport.Trial, _ isStrict: Bool) -> Markup {
        if let report = trial.report { return suite(report, named: trial.name, isStrict, trial.lastLines) }
        let error = problem("error", "linkcond failed", trial.failure ?? "")
        let test = testCase("the command", in: trial.name, trial.duration, [error])
        return suite(trial.name, [test], trial.duration, nil, trial.lastLines)
    }

    private static func head(_ counts: [Int]) -> String {
        // Without "skipped", which the schema of Jenkins allows for suites only.
        let attributes = zip(counted, counts).dropLast().map { " \($0.attribute)=\"\($1)\"" }.joined()
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"linkcond\"\(attributes)>"
    }

    private static let foot = "</testsuites>\n"

    /// The attributes with numbers of test cases, and the elements that they count.
    private static let counted: [(attribute: String, element: String)] = [
        ("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"),
    ]

    private static func counts(of element: Markup) -> [Int] { counted.map { element.count(of: $0.element) } }

    private static func suite(_ report: RunReport, named name: String, _ isStrict: Bool, _ output: [String]) -> Markup {
        let tests = report.results.map { result in
            let content: [Markup] =
                switch result.verdict {
                case .pass: []
                case .fail: [problem("failure", result.finding, result.details(report))]
                case .inconclusive where isStrict:
                    [problem("failure", "inconclusive: \(result.finding)", result.details(report))]
                case .inconclusive, .skipped:
                    [Markup("skipped", ["message": "\(result.verdict.word): \(result.finding)".visible])]
                }
            return testCase(result.expectation, in: name, nil, content)
        }
        let missed = report.missed.map { each in
            let reason = each.part.missSentence ?? ""
            let content =
                isStrict && each.verdict == .inconclusive
                ? problem("failure", "inconclusive: \(reason)", "to repeat it: \(report.repetitionLine)")
                : Markup("skipped", ["message": reason.visible])
            return testCase(each.part.name, in: name, nil, [content])
        }
        let others = report.tests.map { inner($0, report, in: name) }
        return suite(name, [command(report)] + tests + missed + others, report.duration, report, output)
    }

    /// A test inside the run, which is skipped here if it did not pass. The test runner's own file has its failure, and
    /// the command fails, too: here it would count up to three times, and an expected failure (xfail) would fail a run
    /// that passed.
    private static func inner(_ test: TestVerdicts, _ report: RunReport, in name: String) -> Markup {
        let worst = test.results.first { $0.verdict == test.verdict }
        let words = worst.map { "\($0.verdict.word): \($0.expectation): \($0.finding)" } ?? ""
        let content = test.verdict == .pass ? [] : [Markup("skipped", ["message": words.shortened(to: 2000).visible])]
        return testCase(report.name(of: test), in: "\(name), tests inside", test.end - test.begin, content)
    }

    /// A suite, with the properties of its run if there is a report.
    private static func suite(
        _ name: String,
        _ tests: [Markup],
        _ duration: Duration,
        _ report: RunReport?,
        _ output: [String]
    ) -> Markup {
        var suite = Markup("testsuite", ["name": name.shortened(to: 500)], tests)
        suite.attributes += zip(counted, counts(of: suite)).map { (name: $0.attribute, value: "\($1)") }
        suite.attributes.append((name: "time", value: duration.seconds))
        if let report {
            // Without a time zone, as in the schemas of Jenkins and Ant.
            suite.attributes.append((name: "timestamp", value: String(report.beginText.dropLast())))
            let list = report.properties.map {
                Markup("property", ["name": $0.name, "value": $0.value.shortened(to: 4000)])
            }
            suite.content.insert(.element(Markup("properties", list)), at: 0)
        }
        if !output.isEmpty {
            suite.append(Markup("system-out", text: String(output.joined(separator: "\n").suffix(longestOutput))))
        }
        return suite
    }

    private static func command(_ report: RunReport) -> Markup {
        let tests = report.testResults.prefix { $0.result.verdict == .fail }.prefix(20).map { test, result in
            "\(report.name(of: test)): \(result.expectation): \(result.finding)"
        }
        let details = (tests + ["to repeat it: \(report.repetitionLine)"]).joined(separator: "\n")
        let problems =
            report.commandVerdict != .fail ? [] : [problem("failure", report.outcome.sentence, details)]
        return testCase("the command", in: report.title, report.duration, problems)
    }

    private static func testCase(_ name: String, in suite: String, _ time: Duration?, _ content: [Markup]) -> Markup {
        // Jenkins would take the text before a dot for a package.
        let suite = "linkcond.\(suite.shortened(to: 500).split(separator: ".").joined(separator: "_"))"
        let attributes: KeyValuePairs = [
            "classname": suite, "name": name.shortened(to: 500), "time": (time ?? .zero).seconds,
        ]
        return Markup("testcase", attributes, content)
    }

    private static func problem(_ kind: String, _ message: String, _ text: String) -> Markup {
        Markup(kind, ["message": message.shortened(to: 2000), "type": "linkcond"], text: text)
    }
}

extension RunReport {
    /// The command line that repeats the run.
    package var repetitionLine: String { context.repetition.shellLine }

    fileprivate var properties: [(name: String, value: String)] {
        [("command", context.command.shellLine)] + context.conditions
            + [("linkcond", context.version), ("repeat", repetitionLine)]
    }
}

extension RunReport.Result {
    /// The details of a failure, besides its message.
    fileprivate func details(_ report: RunReport) -> String {
        var lines = ["\(expectation): \(finding)"]
        if let list = packetList() { lines.append("packets: \(list)") }
        if let remedy { lines.append("what usually helps: \(remedy)") }
        lines.append("to repeat it: \(report.repetitionLine)")
        return lines.joined(separator: "\n")
    }
}

extension Duration {
    /// Seconds with three decimal places, as in JUnit's files.
    fileprivate var seconds: String {
        let milliseconds = Int64((self / .milliseconds(1)).rounded())
        let digits = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
