// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem
import Reports

/// The directory of a run's report.
struct ReportDirectory {
    let path: String

    /// The names of the files in it.
    static let capture = "packets.pcapng"
    /// The events of the run: a JSON object a line.
    static let events = "events.jsonl"
    static let report = "report.json"
    static let schema = "report.schema.json"
    static let page = "report.html"
    static let tests = "junit.xml"
    static let text = "summary.md"
    /// What came out of several runs.
    static let summary = "summary.json"

    init(_ path: String) { self.path = path }

    /// Makes the directory and those above it, unless they exist.
    func make() throws(SystemError) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/\(part)"
            guard mkdir(made, 0o777) == 0 || errno == EEXIST else {
                throw SystemError(operation: "make \(made)", code: errno)
            }
        }
        // A report of an earlier run must not be taken for this one's.
        for name in [Self.report, Self.page, Self.tests, Self.text, Self.summary] {
            try SmallFile.remove("\(path)/\(name)")
        }
    }

    /// Writes the report in all its forms, and the events of the run beside it.
    ///
    /// - Parameter isStrict: whether an expectation without an answer is a failure.
    func write(_ report: RunReport, events: [UInt8], strict isStrict: Bool) throws {
        try replace(Self.events, events)
        try replace(Self.schema, ReportSchema.text)
        try replace(Self.tests, JUnitFile(report, strict: isStrict).text)
        try replace(Self.text, SummaryText(report).text)
        try replace(Self.page, RunPage(report).text)
        // The last: where it is, the others are.
        try replace(Self.report, report.json.text + "\n")
    }

    /// Writes what came out of several runs, whose reports lie in directories below.
    func write(_ report: TrialsReport, _ summary: JSON, strict isStrict: Bool) throws {
        try replace(Self.tests, JUnitFile(report, strict: isStrict).text)
        try replace(Self.text, SummaryText(report).text)
        try replace(Self.page, TrialsPage(report).text)
        try replace(Self.summary, summary.text + "\n")
    }

    /// Writes what a search for limits found.
    func write(_ report: LimitsReport, _ summary: JSON) throws {
        try replace(Self.text, SummaryText(report).text)
        try replace(Self.page, LimitsPage(report).text)
        try replace(Self.summary, summary.text + "\n")
    }

    private func replace(_ name: String, _ text: String) throws { try replace(name, Array(text.utf8)) }

    /// Replaces a file as a whole: a reader finds the old one or the new one.
    private func replace(_ name: String, _ bytes: [UInt8]) throws {
        let target = "\(path)/\(name)"
        let draft = "\(target).\(getpid())"
        try Failure.catching {
            try SmallFile.create(draft, bytes)
            chmod(draft, 0o644)
            try SmallFile.move(draft, to: target)
        }
    }
}
