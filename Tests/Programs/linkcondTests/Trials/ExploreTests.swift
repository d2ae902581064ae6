// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

/// `linkcond explore`: a broken network under which a client fails.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct ExploreTests {
    private func explore(
        _ options: [String],
        command: [String],
        in directory: String = "/tmp",
        limit: Int = HangLimit.seconds
    ) throws -> CommandResult {
        try Program.start(
            [Program.path, "explore", "--offline", "--seed", "1"] + options + ["--"] + command,
            directory: directory,
            limit: limit
        )
    }

    private func client(_ name: String, _ form: String) -> [String] {
        Script("explored-client.py").command([name, form])
    }

    @Test func showsTheOutputOfACommandThatFailsByItself() throws {
        let silent = try explore([], command: ["false"])
        #expect(silent.status == 1 && silent.errors.contains("the command printed nothing\n"), "\(silent)")
        let talking = try explore([], command: ["sh", "-c", "echo why; exit 3"])
        #expect(talking.errors.contains("the last lines of its output:\n  why\n"), "\(talking)")
    }

    @Test func findsARequestThatIsSentTwiceAndWritesAScenarioThatRepeatsIt() throws {
        let files = try TemporaryDirectory()
        // A file that is named is replaced.
        try "{}".write(toFile: "\(files.path)/explored.json", atomically: true, encoding: .utf8)
        let outcome = try explore(
            [
                "--only", "reset", "--without", "changes", "--expect", "sends no request twice", "--json", "--report",
                "report", "--write", "explored.json", "--first",
            ],
            command: client("twice", "buggy"),
            in: files.path
        )
        #expect(outcome.status == 1, "\(outcome)")
        let found = try JSON(utf8: outcome.output.utf8)
        #expect(found["found"].flatMap { Bool(json: $0) } == true, "\(outcome)")
        #expect(found["failures"]?.text.contains("sends no request twice") == true, "\(outcome)")
        let text = try String(contentsOfFile: "\(files.path)/explored.json", encoding: .utf8)
        let scenario = try Scenario(utf8: text.utf8)
        #expect(scenario.steps.count <= 2 && scenario.expect.map(\.text) == ["sends no request twice"], "\(text)")
        #expect(text.contains("\"reset\""), "\(text)")
        for name in ["report.json", "report.html", "packets.pcapng"] {
            #expect(FileManager.default.fileExists(atPath: "\(files.path)/report/\(name)"))
        }
        let repetition = try #require([String](json: found["repeat"] ?? JSON()))
        let again = try Program.start([Program.path] + repetition.dropFirst(), directory: files.path)
        #expect(again.status == 1, "\(again)")
    }

    /// `curl --retry` sends an order again whose answer was lost, on the second connection of the client.
    @Test(arguments: 1...5) func findsTheOrderThatCurlSendsTwiceWithinFewRuns(seed: Int) throws {
        let files = try TemporaryDirectory()
        let outcome = try explore(
            ["--seed", "\(seed)", "--runs", "40", "--first", "--expect", "sends no request twice", "--json"],
            command: client("curl", "buggy"),
            in: files.path
        )
        #expect(outcome.status == 1, "\(outcome)")
        let found = try JSON(utf8: outcome.output.utf8)
        #expect(found["found"].flatMap { Bool(json: $0) } == true, "\(outcome)")
        #expect(found["drawn"].flatMap { Int(json: $0) } ?? 99 <= 12, "\(outcome)")
        #expect(found["scenario"]?.text.contains(#""nth 2""#) == true, "\(outcome)")
    }

    @Test func goesOnAfterTheFirstFindingAndWritesEach() throws {
        let files = try TemporaryDirectory()
        let outcome = try explore(
            [
                "--only", "reset", "--only", "closed connection", "--runs", "30", "--expect", "sends no request twice",
                "--report", "report", "--write", "found.json",
            ],
            command: client("twice", "buggy"),
            in: files.path
        )
        #expect(outcome.status == 1 && outcome.output.contains("2 findings; "), "\(outcome)")
        for (number, kind) in [("", "reset"), ("-2", "close")] {
            #expect(try files.read("found\(number).json").contains("\"do\": \"\(kind)\""), "\(outcome)")
            #expect(outcome.output.contains("linkcond run --scenario found\(number).json "), "\(outcome)")
        }
        for directory in ["report", "report/finding-2"] {
            #expect(FileManager.default.fileExists(atPath: "\(files.path)/\(directory)/report.html"), "\(outcome)")
        }
        #expect(outcome.output.components(separatedBy: "FAIL sends no request twice").count == 3, "\(outcome)")
    }

    @Test func writesWhatItHasFoundWhenItIsInterrupted() throws {
        let files = try TemporaryDirectory()
        // By its fourteenth run it has found the only mistake, and draws on.
        let script = """
            "$0" explore --offline --seed 1 --jobs 1 --only reset --budget 60s --expect 'sends no request twice' -- \
                sh -c 'echo >>runs; exec "$@"' client "$@" &
            while kill -0 $! && [ "$(cat runs 2>/dev/null | wc -l)" -lt 14 ]; do sleep 0.1; done
            kill -TERM $!
            wait $!
            """
        let command = ["sh", "-c", script, Program.path] + client("twice", "buggy")
        let outcome = try Program.start(command, directory: files.path)
        #expect(outcome.status == 128 + SIGTERM, "\(outcome)")
        #expect(outcome.output.contains("1 finding; "), "\(outcome)")
        #expect(try files.read("explored.json").contains("\"reset\""), "\(outcome)")
    }

    @Test func findsNothingInAClientWithoutMistakes() throws {
        let files = try TemporaryDirectory()
        let outcome = try explore(
            ["--only", "faults", "--runs", "6", "--expect", "sends no request twice"],
            command: client("twice", "mended"),
            in: files.path
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("found nothing; 6 runs in "), "\(outcome)")
        #expect(outcome.output.contains("KIND"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
    }

    @Test(arguments: [["Slow Net"], ["-p", "Slow Net"]])
    func beginsWithTheProfile(profile: [String]) throws {
        let outcome = try explore(
            profile + ["--runs", "2"],
            command: ["sh", "-c", "\(Shell.quoted(Program.path)) status >&2; exit 3"]
        )
        #expect(outcome.status == 1 && outcome.errors.contains("Slow Net"), "\(outcome)")
    }

    @Test func refusesTwoProfiles() throws {
        let outcome = try explore(["3G", "-p", "LTE"], command: ["true"])
        #expect(outcome.status == 64 && outcome.errors.contains("leave out -p"), "\(outcome)")
    }

    @Test func saysThatTheCommandFailsWithoutAnythingWrong() throws {
        let outcome = try explore([], command: ["false"])
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("the command fails without anything wrong"), "\(outcome)")
    }

    @Test func keepsToItsBudget() throws {
        let files = try TemporaryDirectory()
        let command = ["sh", "-c", "echo >>\(files.path)/runs; exec sleep 0.5"]
        let outcome = try explore(["--budget", "4s", "--jobs", "2"], command: command)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("; the time was up"), "\(outcome)")
        // No run is shorter than half a second: in four, nine of them begin on each of two lanes at most.
        #expect(try files.read("runs").count <= 2 * 9)
    }

    @Test(arguments: [
        (["--only", "link dwn"], "did you mean 'link down'?"), (["--only", "reset", "--without", "faults"], "no kind"),
        (["--fails-in", "4/3"], "is not N/M"), (["--runs", "1"], "--runs is from 2"),
        (["--budget", "soon"], "'soon' is not a time"), (["--fail-fast"], "--expect"), (["--jobs", "0"], "--jobs is"),
        (["--expect", "recovers within 1 s of 'restord'"], "did you mean 'restored'?"),
        (["-p", "-"], "give it a file"),
    ])
    func refusesOptions(options: [String], words: String) throws {
        let outcome = try explore(options, command: ["true"])
        #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome)")
    }

    @Test(
        arguments: [
            (["-p", "No Such Link"], ["true"], 66), (["--write", "/nonexistent/found.json"], ["true"], 66),
            (["--write", "/dev/null"], ["true"], 64), ([], ["/nonexistent"], 66),
            (["--only", "DNS slow"], ["true"], 64), (["--only", "slow DNS"], ["true"], 64),
        ] as [([String], [String], Int32)]
    )
    func endsBeforeItDrawsAnything(options: [String], command: [String], status: Int32) throws {
        let outcome = try explore(options, command: command)
        #expect(outcome.status == status && outcome.output.isEmpty, "\(outcome)")
    }
}
