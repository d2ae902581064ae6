// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// What scripts/test says at its end, and whether it is a success.
@Suite struct TestSummaryTests {
    private static let passed = "<testcase classname=\"A.B\" name=\"does()\" />"

    private static func skipped(_ reason: String) -> String {
        "<testcase classname=\"A.B\" name=\"may()\"><skipped>\(reason)</skipped></testcase>"
    }

    /// The summary of one part.
    private func summary(_ part: String, status: Int = 0, log: String = "", _ cases: String...) throws -> CommandResult
    {
        let logs = try TemporaryDirectory()
        // A process that is ended before it wrote its results leaves the beginning.
        if status == 124 { try logs.write("\(part).xml", "<?xml version=\"1.0\"?>\n<testsuites>\n") }
        try logs.write("filter", "")
        try logs.write("\(part).status", "\(status) 1000 1")
        try logs.write("\(part).log", log)
        if !cases.isEmpty {
            try logs.write("\(part).xml", "<testsuites><testsuite>\(cases.joined())</testsuite></testsuites>")
        }
        return try Shell.run("\(Shell.quoted("\(Package.path)/scripts/testing/summary")) \(logs.path)")
    }

    @Test func isASuccessIfAllPassed() throws {
        let result = try summary("host-others", Self.passed)
        #expect(result.status == 0 && result.output.hasSuffix("1 passed, 0 failed, 0 skipped\n"), "\(result)")
    }

    @Test func permitsNoSkipWithoutAKnownReason() throws {
        let result = try summary("host-others", Self.passed, Self.skipped("no time"))
        #expect(result.status == 1 && result.output.hasSuffix("1 passed, 1 failed, 0 skipped\n"), "\(result)")
        #expect(result.output.contains("A.B/may() was skipped: no time"))
    }

    @Test(arguments: [("host-others", 0), ("lab-1", 1)])
    func permitsAMissingNetemOnTheHostOnly(part: String, status: Int32) throws {
        #expect(try summary(part, Self.passed, Self.skipped("needs sch_netem")).status == status)
    }

    @Test func failsWhereNoTestHasRun() throws {
        let result = try summary("host-others", status: 0)
        #expect(result.status == 1 && result.output.contains("host-others has run no test"), "\(result)")
    }

    /// A crash leaves no result of the test that crashed.
    @Test func failsWhereAPartEndedWithoutSayingWhy() throws {
        let result = try summary("host-others", status: 132, Self.passed)
        #expect(result.status == 1 && result.output.contains("host-others ended with status 132"), "\(result)")
    }

    @Test func namesTheTestsThatHadNotEnded() throws {
        let log = """
            ◇ Test run started.
            ◇ Test ends() started.
            \u{1B}[90m◇\u{1B}[0m Test hangs(for:) started.
            ✘ Test hangs(for:) recorded an issue at A.swift:1:1: Expectation failed
            \u{1B}[92m✔\u{1B}[0m Test ends() passed after 0.1 seconds.
            ◇ Test isElsewhereToo() started.
            ✔ Test isElsewhereToo() passed after 0.1 seconds.
            ◇ Test isElsewhereToo() started.
            """
        let result = try summary("host-others", status: 124, log: log)
        let names = "hangs(for:), isElsewhereToo()"
        #expect(result.output.contains("host-others ended with status 124; not ended: \(names); see"), "\(result)")
    }

    /// What a test did when it was run once more counts only where that was asked for, and only for that test.
    @Test(arguments: [("passed", true, 0), ("passed", false, 1), ("failed", true, 1)])
    func countsARepetitionWhereAsked(state: String, isAsked: Bool, status: Int32) throws {
        let failed = "<testcase classname=\"A.B\" name=\"does()\"><failure /></testcase>"
        let logs = try TemporaryDirectory()
        try logs.write("filter", "")
        for (part, status, test) in [
            ("lab-1", 1, failed), ("again-lab-1", 0, state == "passed" ? Self.passed : failed),
        ] {
            try logs.write("\(part).status", "\(status) 1000 1")
            try logs.write("\(part).log", "")
            try logs.write("\(part).xml", "<testsuites><testsuite>\(test)</testsuite></testsuites>")
        }
        let script = Shell.quoted("\(Package.path)/scripts/testing/summary")
        let result = try Shell.run("\(script) \(logs.path)\(isAsked ? " --again lab-1" : "")")
        let sum = status == 0 ? "1 passed, 0 failed, 0 skipped\n" : "0 passed, 1 failed, 0 skipped\n"
        #expect(result.status == status && result.output.hasSuffix(sum), "\(result)")
        let again = state == "passed" ? "passed" : "again"
        let words = isAsked ? ", and \(again) when it ran once more" : ""
        #expect(result.output.contains("lab-1: A.B/does() failed\(words); see \(logs.path)/lab-1.log"), "\(result)")
    }

    /// Neither red nor silently green.
    @Test func listsWhatCouldNotBeJudged() throws {
        let log = "inconclusive: B/does(): the machine was late by 40 ms\n"
        let other = "<testcase classname=\"A.B\" name=\"doesMore()\" />"
        let result = try summary("host-others", log: log, Self.passed, other)
        #expect(result.status == 0 && result.output.hasSuffix("\n1 passed, 0 failed, 0 skipped\n"), "\(result)")
        #expect(result.output.contains("inconclusive: B/does: the machine was late by 40 ms\n"), "\(result)")
    }

    @Test(arguments: [
        ("verdicts", "12 passed, 0 failed", "12 passed, 0 failed"),
        ("verdicts", "11 passed, 1 failed", "11 passed, 1 failed"),
        ("mutants", "9 killed, 0 not killed", "9 passed, 0 failed"),
        ("mutants", "8 killed, 1 not killed", "8 passed, 1 failed"),
    ])
    func countsWhatAScriptHasChecked(part: String, last: String, sum: String) throws {
        let isGood = sum.hasSuffix(" 0 failed")
        let result = try summary(part, status: isGood ? 0 : 1, log: "\(last)\n")
        #expect(result.status == (isGood ? 0 : 1) && result.output.hasSuffix("\n\(sum), 0 skipped\n"), "\(result)")
        #expect(isGood || result.output.contains("\(part): 1 failed; see "), "\(result)")
    }

    @Test func countsWhatWasMeasuredTwice() throws {
        let log = "conformance: netem, 3G uplink, second run: [loss 1 %], machine late by 0.1 ms\n"
        let result = try summary("host-alone", log: log, Self.passed)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("lanes of measured links that were measured twice: 1\n"), "\(result)")
    }
}
