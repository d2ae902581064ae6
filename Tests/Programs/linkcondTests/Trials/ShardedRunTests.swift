// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

/// `matrix --repeat`, and shards that run.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct ShardedRunTests {
    private func start(_ words: [String], in directory: String) throws -> CommandResult {
        try Program.start([Program.path] + words + ["--", "sh", "-c", "echo it\\'s"], directory: directory)
    }

    private static let matrix = ["matrix", "3g", "lte", "--offline", "--repeat", "2", "--seed", "42"]

    @Test func repeatsEachNetworkWithTheSameSeeds() throws {
        let files = try TemporaryDirectory()
        let words = Self.matrix + ["--report", "reports", "--expect", "exits with 0"]
        let listed = try start(words + ["--list-trials"], in: files.path)
        try listed.requireSuccess()
        #expect(!FileManager.default.fileExists(atPath: "\(files.path)/reports"))
        try start(words, in: files.path).requireSuccess()
        for (line, place) in zip(listed.lines, ["3g/run-1", "3g/run-2", "lte/run-1", "lte/run-2"]) {
            let trial = try JSON(utf8: line.utf8)
            let report = try JSON(utf8: files.bytes("reports/\(place)/report.json"))
            #expect(report["seed"]?.line == (place.hasSuffix("1") ? "42" : "43"))
            // What is listed is what repeats the run.
            #expect(report["repeat"]?.line == trial["command"]?.line && report["repeat"] != nil)
            #expect(try files.read("reports/\(place)/output.log").contains("it's\n"))
        }
    }

    @Test(arguments: [matrix, ["run", "3g", "--offline", "--repeat", "3", "--seed", "42"]])
    func repeatsAllRunsByTheLineOfAShard(words: [String]) throws {
        let files = try TemporaryDirectory()
        try start(words + ["--report", "all"], in: files.path).requireSuccess()
        let shard = ["--shard=1/2", "--timings", "all", "--report", "one"]
        try start(words + shard, in: files.path).requireSuccess()
        let summary = try files.read("one/summary.md")
        #expect(summary.contains("linkcond \(words.joined(separator: " ")) --report one -- sh -c "), "\(summary)")
        #expect(!summary.contains("--shard") && !summary.contains("--timings"), "\(summary)")
        let runs = try JSON(utf8: files.bytes("one/summary.json"))["runs"]
        guard case .array(let runs)? = runs?.value else { throw TestFailure("no runs: \(summary)") }
        // How many depends on what took how long.
        #expect(1..<(words[0] == "run" ? 3 : 4) ~= runs.count, "\(runs.count)")
    }

    @Test(arguments: [matrix, ["run", "3g", "--offline", "--repeat", "4", "--seed", "42"]])
    func reportsAnEmptyShard(words: [String]) throws {
        let files = try TemporaryDirectory()
        let outcome = try start(
            words + ["--shard", "9/12", "--report", "empty", "--fail-fast", "--expect", "exits with 0"],
            in: files.path
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("note: shard 9/12 has no runs, since there are 4\n"), "\(outcome)")
        #expect(try files.read("empty/summary.json").contains(#""runs": []"#))
        #expect(FileManager.default.fileExists(atPath: "\(files.path)/empty/report.html"))
    }
}
