// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing
import Trials

@testable import linkcond

/// `linkcond matrix`: one command under several profiles.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct MatrixTests {
    private func matrix(_ arguments: String..., in directory: String = "/") throws -> CommandResult {
        try Program.start([Program.path, "matrix"] + arguments, directory: directory)
    }

    private func fields(_ line: Substring) -> [String] {
        String(line).split(separator: #/ {2,}/#).map(String.init)
    }

    @Test func judgesEachProfileApart() throws {
        let files = try TemporaryDirectory()
        try #"{"name": "Prompt", "downlink": {"delay": "1 ms"}}"#.write(
            toFile: "\(files.path)/prompt.json",
            atomically: true,
            encoding: .utf8
        )
        // A client that waits for a processor leaves a verdict open.
        try Measurements.settle {
            try? FileManager.default.removeItem(atPath: "\(files.path)/reports")
            let outcome = try matrix(
                "-p",
                "./prompt.json",
                "-p",
                "LTE",
                "-p",
                "Black Hole",
                "--offline",
                "--report",
                "reports",
                "--expect",
                "first byte within 3 s",
                "--",
                "sh",
                "-c",
                "python3 -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 & "
                    // Port 8000, in proc(5).
                    + "until grep -q :1F40 /proc/net/tcp; do sleep 0.1; done; curl -s -m 4 -o /dev/null http://127.0.0.1:8000/; echo said",
                in: files.path
            )
            let rows = outcome.lines.map(fields)
            try #require(rows.count == 4, "\(outcome)")
            #expect(rows[1...].map { $0[0] } == ["Prompt", "LTE", "Black Hole"])
            #expect(rows[1...].map { $0[2] } == ["0", "0", "0"])
            guard rows[1...].map({ $0[1] }) == ["pass", "pass", "FAIL"] else { return "\(outcome)" }
            #expect(rows[3].last?.hasPrefix("first byte within 3 s: ") == true)
            // Only an expectation failed.
            #expect(outcome.status == 1)
            return nil
        }
        for name in ["prompt", "lte", "black-hole"] {
            #expect(try files.read("reports/\(name)/output.log").contains("said"))
            #expect(FileManager.default.fileExists(atPath: "\(files.path)/reports/\(name)/report.json"))
            #expect(FileManager.default.fileExists(atPath: "\(files.path)/reports/\(name)/packets.pcapng"))
        }
        #expect(try files.read("reports/summary.json").contains(#""verdict": "fail""#))
    }

    @Test func showsAHangAndEachExpectationThatFailed() throws {
        let outcome = try matrix(
            "-p",
            "LTE",
            "--offline",
            "--timeout",
            "2s",
            "--expect",
            "at most 1 connection",
            "--expect",
            "at most 2 connection attempts",
            "--",
            "sh",
            "-c",
            "for number in 1 2 3; do curl -s -m 1 http://127.0.0.1:9/; done; sleep 100"
        )
        try #require(outcome.lines.count == 4, "\(outcome)")
        #expect(fields(outcome.lines[1]).prefix(3) == ["LTE", "FAIL", "124"])
        #expect(fields(outcome.lines[1]).last == "the command exceeded its time limit and was ended")
        #expect(outcome.lines[2].contains("  at most 1 connection: 3 connections, by curl"), "\(outcome)")
        #expect(outcome.lines[3].contains("  at most 2 connection attempts: 3 connection attempts"), "\(outcome)")
    }

    @Test func goesOnAfterACellThatIsKilled() throws {
        let outcome = try matrix(
            "-p",
            "3G",
            "-p",
            "LTE",
            "--offline",
            "--",
            "sh",
            "-c",
            "echo last words; kill -KILL $$"
        )
        #expect(
            outcome.lines.dropFirst().map { fields($0).prefix(3) } == [
                ["3G", "failed", "137"], ["LTE", "failed", "137"],
            ]
        )
        #expect(outcome.status == 137)
        #expect(outcome.errors.contains("3G, the last lines of its output:\n  last words\n"))
    }

    @Test func runsTheBrokenNetworksThatNeedNoUplink() throws {
        let outcome = try matrix("--broken", "--offline", "--", "true")
        #expect(outcome.status == 0 && outcome.output.contains("\nMTU Hole "), "\(outcome)")
        #expect(!outcome.output.contains("Idle NAT"), "\(outcome)")
        let left = "note: left out, because of --offline: Idle NAT, IPv6 Only, NAT Rebinding, Wi-Fi To Cellular"
        #expect(outcome.errors.contains(left), "\(outcome)")
    }

    @Test(arguments: [("/etc/passwd", 126), ("no-such-command", 127)] as [(String, Int32)])
    func saysThatACommandCannotBeExecuted(command: String, status: Int32) throws {
        let outcome = try matrix("-p", "3G", "-p", "LTE", "--offline", "--", command)
        #expect(outcome.status == status)
        #expect(outcome.lines.dropFirst().allSatisfy { fields($0)[2] == "\(status)" })
        #expect(outcome.errors.contains("cannot run \(command)"))
    }

    /// Port 9 has Black Hole by the rules, and the links are for port 8000 only.
    @Test func hasTheSelectorsAndRulesOfARun() throws {
        let files = try TemporaryDirectory()
        try files.write("rules.json", #"{ "rules": [{ "port": 9, "profile": "Black Hole" }] }"#)
        let options = ["--port", "8000", "--rules", "rules.json", "--seed", "1", "--report", "report", "--offline"]
        let status = "\(Program.path) status"
        let outcome = try Program.start(
            [Program.path, "matrix", "3G", "LTE"] + options + ["--", "sh", "-c", status],
            directory: files.path
        )
        #expect(outcome.status == 0, "\(outcome)")
        for (name, profile) in [("3g", "3G"), ("lte", "LTE")] {
            let log = try files.read("report/\(name)/output.log")
            #expect(log.contains(": \(profile) (rule 1, traffic on port 8000, "), "\(log)")
            #expect(log.contains("traffic on port 9, "), "\(log)")
            let summary = try files.read("report/\(name)/summary.md")
            #expect(summary.contains("linkcond run \(profile) --port 8000 --rules rules.json --offline"), "\(summary)")
        }
    }

    /// A pipe whose reader has ended takes no table.
    @Test func writesTheReportThoughNobodyReadsTheTable() throws {
        let files = try TemporaryDirectory()
        let shell = "\(Shell.quoted(Program.path)) matrix 3g lte --offline --report report -- true | true"
        try Program.start(["sh", "-c", shell], directory: files.path).requireSuccess()
        #expect(try files.read("report/summary.json").contains(#""digest": "#))
    }

    /// Each run would draw a seed of its own otherwise.
    @Test func namesTheSeedThatRepeatsAllRuns() throws {
        let files = try TemporaryDirectory()
        let report = files.url.appending(path: "report").path
        let outcome = try matrix("3G", "LTE", "--offline", "--report", report, "--", "true")
        #expect(outcome.status == 0, "\(outcome)")
        let summary = try files.read("report/summary.md")
        let line = try #require(summary.firstMatch(of: /linkcond matrix 3G LTE --offline .* --seed (\d+) -- true/))
        for name in ["3g", "lte"] {
            #expect(try files.read("report/\(name)/summary.md").contains(line.1), "\(summary)")
        }
    }

    @Test func tellsAllBadNamesBeforeAnythingRuns() throws {
        let files = try TemporaryDirectory()
        let outcome = try matrix(
            "-p",
            "slw net",
            "-p",
            "3G",
            "-p",
            "./no-such.json",
            "-p",
            "3 g",
            "-p",
            "-",
            "--offline",
            "--report",
            "r",
            "--",
            "touch",
            "\(files.path)/begun",
            in: files.path
        )
        #expect(outcome.status == 125)
        for words in [
            "\"slw net\"; did you mean \"Slow Net\"?", "./no-such.json", "\"3G\" is given twice", "standard input",
        ] {
            #expect(outcome.errors.contains(words), "\(words) is not in \(outcome.errors)")
        }
        #expect(outcome.output.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
    }

    @Test(arguments: [
        ([], "missing a profile"), (["-p", "3G", "--jobs", "0"], "--jobs is from 1 to 1000"),
        (["-p", "3G", "--timeout", "soon"], "'soon' is not a time"),
        (["-p", "3G", "--expect", "compltes within 3 s", "--expect", "at most many"], "did you mean \"completes\""),
        (["-p", "3G", "--host-port", "http"], "'http' is not a port"),
        (["-p", "3G", "--rules", "-"], "matrix cannot read rules from standard input"),
        (["-p", "3G", "--port", "http"], "--port http is not a port"),
    ])
    func refusesBadOptions(options: [String], words: String) throws {
        let outcome = try Program.start([Program.path, "matrix"] + options + ["--", "true"])
        #expect(outcome.status == 125)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test(arguments: [["3G", "LTE"], ["3G,lte"], ["3G", "-p", "LTE"], ["-p", "3G, LTE"]])
    func takesProfilesInAnyForm(networks: [String]) throws {
        let outcome = try Program.start([Program.path, "matrix", "--offline"] + networks + ["--", "true"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.lines.dropFirst().map { fields($0)[0] } == ["3G", "LTE"], "\(outcome)")
    }

    @Test func waitsForNoCellWithAnother() throws {
        let profiles = ["3G", "LTE", "Edge", "DSL", "Wi-Fi", "Slow Net", "Nasty Net", "Very Bad Network", "Black Hole"]
        let files = try TemporaryDirectory()
        // Each ends when all have begun: if one waited for another, none would.
        let meeting = "touch \(files.path)/$$; until [ $(ls \(files.path) | wc -l) -eq 9 ]; do sleep 0.05; done"
        let words =
            profiles.flatMap { ["-p", $0] } + ["--jobs", "9", "--offline", "--json", "--", "sh", "-c", meeting]
        let outcome = try Program.start([Program.path, "matrix"] + words)
        try outcome.requireSuccess()
        #expect(outcome.output.matches(of: /"durationSeconds": ([0-9.]+)/).count == 9)
    }

    @Test func givesTheCommandNoInputAndNoTerminal() throws {
        let outcome = try matrix(
            "-p",
            "3G",
            "--offline",
            "--",
            "sh",
            "-c",
            "! read line && ! (: </dev/tty) 2>/dev/null"
        )
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(
        arguments: [
            ("Slow Net", [], "slow-net"), ("LTE+", [], "lte+"), ("../etc", [], "profile-..-etc"),
            ("a/b", ["a-b"], "a-b-2"),
            ("Ünder", [], "ünder"), ("//", [], "profile-"),
        ] as [(String, [String], String)]
    )
    func namesDirectories(name: String, taken: [String], directory: String) {
        #expect(MatrixCell.directory(name, unlike: taken) == directory)
    }

    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need), arguments: ["endByKey", "killProgram"])
    func leavesNothingWhenEndedInTheMiddle(way: String) throws {
        try PrivateWorld.check(.tester, "trials.py", "leavesNothing(\(way), MATRIX)")
    }
}
