// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

/// `--shard`, `--timings` and `--list-trials`, where nothing is run.
@Suite struct ShardTests {
    private static let outsideOfJobs = ["CI_NODE_INDEX": "", "JOB_COMPLETION_INDEX": "", "CI_NODE_TOTAL": ""]

    private func start(_ words: [String], _ variables: [String: String] = [:]) throws -> CommandResult {
        let variables = Self.outsideOfJobs.merging(variables) { $1 }
        return try Program.start([Program.path] + words + ["--", "true"], variables: variables)
    }

    /// The lines of --list-trials.
    private func list(_ words: [String], _ variables: [String: String] = [:]) throws -> [JSON] {
        let outcome = try start(words + ["--list-trials"], variables)
        try outcome.requireSuccess()
        #expect(outcome.errors.isEmpty, "\(outcome)")
        return try outcome.lines.map { try JSON(utf8: $0.utf8) }
    }

    private func names(_ words: [String], _ variables: [String: String] = [:]) throws -> [String] {
        try list(words, variables).map { try #require($0.required("name")) }
    }

    private static let matrix = ["matrix", "3g", "lte", "--offline", "--repeat", "2", "--seed", "42"]

    @Test func listsEachTrialWithItsCommand() throws {
        let trials = try list(Self.matrix)
        #expect(
            trials.map(\.line)
                == [
                    ("3G", "3g", 1, 42), ("3G", "3g", 2, 43), ("LTE", "lte", 1, 42), ("LTE", "lte", 2, 43),
                ].enumerated().map { index, trial in
                    let (name, word, number, seed) = trial
                    let head = #"{ "index": \#(index), "network": "\#(name)", "number": \#(number), "seed": \#(seed), "#
                    let title = #""name": "\#(name), run \#(number), seed \#(seed)", "#
                    let command = #"["linkcond", "run", "\#(word)", "--offline", "--seed", "\#(seed)", "--", "true"]"#
                    return head + title + #""command": \#(command) }"#
                }
        )
    }

    /// Nothing is random then, and a seed would be refused.
    @Test func listsNoSeedWithoutConditions() throws {
        let trials = try list(["run", "--offline", "--repeat", "2"])
        #expect(trials.map(\.["name"]?.line) == [#""run 1""#, #""run 2""#])
        #expect(trials.allSatisfy { $0["seed"] == nil })
        let command: [String]? = trials.last?.required("command")
        #expect(command == ["linkcond", "run", "--offline", "--", "true"])
    }

    @Test(arguments: [matrix, ["run", "3g", "--offline", "--repeat", "7", "--seed", "42"]], 1...9)
    func runsEachTrialInOneShardWithItsSeed(words: [String], count: Int) throws {
        let all = try list(words).map(\.line)
        let parts = try (1...count).map { try list(words + ["--shard", "\($0)/\(count)"]).map(\.line) }
        #expect(parts.joined().sorted() == all.sorted())
        #expect(parts.allSatisfy { part in part == all.filter(part.contains) })
    }

    @Test func findsItsShardInTheEnvironment() throws {
        let second = try names(Self.matrix + ["--shard", "2/4"])
        #expect(second == ["3G, run 2, seed 43"])
        let auto = Self.matrix + ["--shard", "auto"]
        #expect(try names(auto, ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4"]) == second)
        #expect(try names(Self.matrix + ["--shard", "auto/4"], ["JOB_COMPLETION_INDEX": "1"]) == second)
    }

    @Test func dividesByTheDurationsOfAnEarlierReport() throws {
        let files = try TemporaryDirectory()
        let runs = [("3G", 9), ("LTE", 4), ("Edge", 4)].map { name, seconds in
            #"{"name": "\#(name)", "status": 0, "report": {"durationSeconds": \#(seconds)}}"#
        }
        let text = #"{"version": 1, "runs": [\#(runs.joined(separator: ", "))]}"#
        _ = try files.write("summary.json", text)
        let path = "\(files.path)/summary.json"
        let words = ["matrix", "lte", "3g", "edge", "--seed", "1", "--shard"]
        for report in [path, files.path] {
            #expect(try names(words + ["1/2", "--timings", report]) == ["3G"])
            #expect(try names(words + ["2/2", "--timings", report]) == ["LTE", "Edge"])
        }
        #expect(try names(words + ["1/2"]) == ["LTE", "Edge"])
    }

    @Test(arguments: [
        (["--shard", "0/4", "--seed", "1"], "--shard '0/4' is not K/N with K from 1 to N", "--shard 2/4"),
        (["--shard", "9/8", "--seed", "1"], "--shard '9/8' is not K/N with K from 1 to N", "--shard 2/4"),
        (["--shard", "1/0", "--seed", "1"], "'1/0'", "--shard 2/4"),
        (["--shard", "x", "--seed", "1"], "'x' is not K/N with K from 1 to N, nor auto, nor auto/N", "--shard 2/4"),
        (["--shard", "auto", "--seed", "1"], "needs CI_NODE_INDEX or JOB_COMPLETION_INDEX", "--shard 2/4"),
        (["--shard", "2/4"], "--shard needs --seed", "--seed 1"),
        (["--timings", "/etc"], "--timings needs --shard", "linkcond"),
        (
            ["--shard", "2/4", "--seed", "1", "--timings", "/no-such"], "cannot open /no-such/summary.json",
            "--timings DIR"
        ),
        (
            ["--shard", "2/4", "--seed", "1", "--timings", "/etc/passwd"], "open /etc/passwd/summary.json",
            "--timings DIR"
        ),
    ])
    func refusesShardsThatAreNone(options: [String], words: String, remedy: String) throws {
        for command in [["matrix", "3g", "lte"], ["run", "3g", "--repeat", "2"]] {
            let outcome = try start(command + ["--offline"] + options)
            #expect(outcome.status == 125 && outcome.output.isEmpty, "\(outcome)")
            #expect(outcome.errors.contains(words), "\(outcome)")
            #expect(outcome.errors.contains("\nlinkcond: try: \(remedy)"), "\(outcome)")
        }
    }

    @Test(arguments: [
        #"{"version": 1, "runs": [{"name": "3G", "report": {"durationSeconds": 9"#, #"{"version": 1, "limits": []}"#,
        #"{"version": 2, "runs": []}"#, #"{"version": 1, "runs": [{"report": {}}]}"#, "[]", "",
    ])
    func refusesTimingsThatAreNoReport(text: String) throws {
        let files = try TemporaryDirectory()
        _ = try files.write("summary.json", text)
        let path = "\(files.path)/summary.json"
        let outcome = try start(["matrix", "3g", "--seed", "1", "--shard", "1/2", "--timings", path])
        #expect(outcome.status == 125, "\(outcome)")
        #expect(outcome.errors.contains("\(path) is no whole report of matrix or run --repeat\n"), "\(outcome)")
    }

    @Test(arguments: [
        (["run", "3g", "--shard", "1/2", "--seed", "1"], "--shard and --list-trials need --repeat"),
        (["run", "3g", "--list-trials"], "--shard and --list-trials need --repeat"),
        (["matrix", "3g", "--repeat", "0"], "--repeat is from 1 to 100000"),
        (["matrix", "3g", "--repeat", "100001"], "--repeat is from 1 to 100000"),
        (
            ["matrix", "3g", "lte", "--repeat", "50001"],
            "2 networks, 50001 times each, are more than 100000 runs\nlinkcond: try: --repeat 50000\n"
        ),
    ])
    func refusesOtherNumbersOfRuns(words: [String], message: String) throws {
        let outcome = try start(words)
        #expect(outcome.status == 125 && outcome.errors.contains(message), "\(outcome)")
    }
}
