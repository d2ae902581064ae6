// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import Reports

/// `run --fail-fast`: a command is ended when an expectation can no longer hold, and only then.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct FailFastTests {
    /// `attempt`, which makes an attempt at a port where nothing listens.
    private static let prelude = "attempt() { curl --silent --max-time 5 http://127.0.0.1:9/ || true; }\n"

    private func run(_ script: String, expecting texts: [String], options: String = "") throws -> CommandResult {
        let expectations = texts.map { "--expect \(Shell.quoted($0))" }.joined(separator: " ")
        let inside = Shell.quoted(Self.prelude + script)
        return try Program.shell(
            #"exec "$LINKCOND" run --offline --fail-fast \#(expectations) \#(options) -- sh -c \#(inside)"#
        )
    }

    /// Each command here would go on for longer than a test may.
    @Test func endsACommandWhoseCountIsTooLarge() throws {
        let files = try TemporaryDirectory()
        let result = try run(
            "attempt; attempt; attempt; echo tried; sleep 1000; echo slept",
            expecting: ["at most 2 connection attempts", "at most 9 connections", "leaves no connection open"],
            options: "--report \(files.path)/report"
        )
        #expect(result.status == 1 && result.output == "tried\n", "\(result)")
        #expect(result.errors.contains("FAIL  at most 2 connection attempts: 3 connection attempts"), "\(result)")
        // What it would have done is not known.
        for text in ["at most 9 connections", "leaves no connection open"] {
            let line = result.errors.split(separator: "\n").first { $0.contains("inconclusive  \(text): ") }
            #expect(line?.hasSuffix("but the command was ended by --fail-fast") == true, "\(result)")
        }
        let report = try #require(RunReport(json: JSON(utf8: Array(files.read("report/report.json").utf8))))
        #expect(report.outcome == .failedFast && report.verdict == .fail)
        #expect(try files.read("report/summary.md").contains("An expectation could no longer hold"))
    }

    /// No packet comes on a dead link: the time passes all the same.
    @Test func endsACommandThatHangsOnADeadLink() throws {
        let result = try run(
            #""$LINKCOND" mark dark; curl --silent --max-time 1000 http://127.0.0.1:9/"#,
            expecting: ["first byte within 500 ms of 'dark'"],
            options: "'Black Hole'"
        )
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.contains("FAIL  first byte within 500 ms of 'dark': no byte of an answer"), "\(result)")
    }

    @Test func endsACommandThatIgnoresTheSignal() throws {
        let result = try run(
            "trap '' TERM; attempt; sleep 1000 & wait; sleep 1000",
            expecting: ["at most 0 connections"]
        )
        #expect(result.status == 1, "\(result)")
    }

    /// Bytes may have been sent again since the machine was busy, and what is open may be closed: that is known at the end.
    @Test func letsACommandEndWhoseFailureIsNotCertain() throws {
        let result = try run(
            "attempt; sleep 3; echo done",
            expecting: ["at most 1 byte", "first byte within 60 s", "exits with 3"]
        )
        #expect(result.status == 1 && result.output == "done\n", "\(result)")
        #expect(result.errors.contains("FAIL  exits with 3: the command exited with 0"), "\(result)")
    }

    @Test func endsEachOfSeveralRuns() throws {
        let result = try run(
            "attempt; sleep 1000",
            expecting: ["at most 0 connections"],
            options: "--repeat 2 --jobs 2"
        )
        #expect(result.status == 1 && result.errors.contains("2 of 2 runs failed"), "\(result)")
    }

    @Test func needsAnExpectation() throws {
        let result = try Program.shell(#"exec "$LINKCOND" run --offline --fail-fast -- true"#)
        #expect(result.status == 125 && result.errors.contains("--fail-fast needs an expectation"), "\(result)")
    }
}
