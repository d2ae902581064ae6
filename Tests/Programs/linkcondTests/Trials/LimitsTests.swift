// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// `linkcond limits`: the worst link that a command survives.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct LimitsTests {
    /// Fails where its connection, which takes two delays, has to take more than half a second: its limit is 250 ms.
    /// How much more this machine takes decides nothing.
    private static let client = """
        import json, os, socket, subprocess, time
        shown = json.loads(subprocess.run([os.environ["LINKCOND"], "status", "--json"], capture_output=True).stdout)
        lanes = [lane for device in shown["devices"] for rule in device["rules"] for lane in rule["lanes"]]
        delays = [lane["conditions"].get("delay", "0 ms").split() for lane in lanes]
        wanted = sum(float(number) / {"s": 1, "ms": 1e3, "us": 1e6}[unit] for number, unit in delays)
        server, start = socket.create_server(("127.0.0.1", 8000)), time.monotonic()
        socket.create_connection(("127.0.0.1", 8000))
        took = time.monotonic() - start
        if took < wanted - 0.001: raise SystemExit(f"it took {took} s, {wanted} wanted")
        raise SystemExit(wanted > 0.5)
        """

    private func limits(_ options: String..., command: [String], limit: Int = HangLimit.seconds) throws -> CommandResult
    {
        try Program.start([Program.path, "limits", "--offline"] + options + ["--"] + command, limit: limit)
    }

    @Test func findsTheDelayThatAClientWaitsFor() throws {
        let outcome = try limits(
            "--vary",
            "delay=0..1s",
            "--budget",
            "90s",
            "--seed",
            "1",
            "--json",
            command: ["/usr/bin/python3", "-c", Self.client]
        )
        #expect(outcome.status == 0, "\(outcome)")
        func value(_ name: String) throws -> Int {
            let match = outcome.output.firstMatch(
                of: try Regex("\"\(name)\": \"([0-9]+) ms\"", as: (Substring, Substring).self)
            )
            return try #require(match.flatMap { Int($0.1) }, "\(outcome)")
        }
        #expect((200...300).contains(try value("limit")))
        #expect(try value("lower") <= 250)
        #expect(try value("upper") >= 200)
        #expect(try value("upper") - value("lower") <= 150)
    }

    @Test func saysThatEverythingIsSurvived() throws {
        let outcome = try limits("--vary", "loss=0..50%", "--budget", "60s", command: ["true"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("survives loss of 50 %, the harshest asked for; "), "\(outcome)")
        #expect(outcome.output.contains("●"))
    }

    /// What was measured stands before what follows from it.
    @Test func tellsTheEstimateFromTheHarshestThatWasSurvived() throws {
        let outcome = try limits(
            "--vary",
            "delay=0..1s",
            "--budget",
            "90s",
            "--seed",
            "1",
            command: ["/usr/bin/python3", "-c", Self.client]
        )
        let match = outcome.output.prefixMatch(of: /survived delay of (\d+) ms; estimated limit: \d+ ms \(95/)
        let survived = try #require(match.flatMap { Int($0.1) }, "\(outcome)")
        #expect((150...250).contains(survived))
        #expect(outcome.errors == "linkcond: note: this takes up to 1 min 30 s, as --budget says\n", "\(outcome)")
    }

    @Test func failsIfNothingIsSurvived() throws {
        let outcome = try limits(
            "--vary",
            "uplink.delay=0..1s",
            "--expect",
            "exits with 0",
            "--budget",
            "60s",
            command: ["false"]
        )
        #expect(outcome.status == 1)
        #expect(
            outcome.output.hasPrefix("does not survive uplink.delay of 0 ms, the mildest asked for; "),
            "\(outcome)"
        )
    }

    @Test func keepsToItsBudget() throws {
        // Else it would run for as long as a test may.
        let outcome = try limits(
            "--vary",
            "loss=0..50%",
            "--vary",
            "delay=0..1s",
            "--budget",
            "4s",
            command: ["sleep", "1000"]
        )
        #expect(outcome.output.components(separatedBy: "the time was up").count == 3, "\(outcome)")
        // Runs that were cut short say nothing.
        #expect(outcome.output.hasPrefix("no run has an answer; the limit is not known yet; "), "\(outcome)")
    }

    @Test(arguments: [
        ([], "missing a figure"), (["--vary", "los=0..5%"], "did you mean \"loss\""),
        (["--vary", "loss=0..5%", "--vary", "loss=0..9%"], "loss is given twice"),
        (["--vary", "jitter=1ms..5ms"], "delay"), (["--vary", "loss=0..5%", "--budget", "0"], "'0' is not a time"),
        (["--vary", "loss=0..5%", "No Such Profile"], "No Such Profile"),
    ])
    func refusesBadOptions(options: [String], words: String) throws {
        let outcome = try Program.start([Program.path, "limits", "--offline"] + options + ["--", "true"])
        #expect(outcome.status == 125, "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test func writesAReport() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("limits-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let outcome = try limits("--vary", "loss=0..5%", "--report", directory, command: ["true"])
        #expect(outcome.status == 0, "\(outcome)")
        let page = try String(contentsOfFile: directory + "/report.html", encoding: .utf8)
        #expect(page.contains("survives loss of 5 %, the harshest asked for"))
        let summary = try String(contentsOfFile: directory + "/summary.json", encoding: .utf8)
        #expect(summary.contains("\"figure\": \"loss\""))
        // The line that repeats it has the seed, and not the program's path here.
        let text = try String(contentsOfFile: directory + "/summary.md", encoding: .utf8)
        #expect(text.contains(#/\nlinkcond limits .* --seed \d+ -- true\n/#), "\(text)")
    }

    @Test(arguments: ["/etc/passwd", "no-such-command"])
    func saysThatACommandCannotBeExecuted(command: String) throws {
        let outcome = try limits("--vary", "loss=0..5%", command: [command])
        #expect(outcome.status == 125)
        #expect(outcome.errors.contains("cannot run \(command)"), "\(outcome)")
    }

    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need))
    func leavesNothingWhenEndedInTheMiddle() throws {
        try PrivateWorld.check(.tester, "trials.py", "leavesNothing(endByKey, LIMITS)")
    }
}
