// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Foundation
import Reports
import TestKit
import Testing

@testable import Trials

struct ShardMergeTests {
    private static let findings = [ExampleShards.expectation, "inconclusive: \(ExampleShards.expectation)"]
    private static let files = ["summary.json", "junit.xml", "summary.md", "report.html"]

    @Test(arguments: 1...15)
    func isTheReportThatOneMachineWrites(count: Int) throws {
        let shards = try ExampleShards()
        try shards.write("whole")
        // In any order.
        try shards.merge(shards.writeAll(count).reversed())
        for file in Self.files {
            let (merged, whole) = try (shards.directory.read("merged/\(file)"), shards.directory.read("whole/\(file)"))
            #expect(merged == whole, "\(file)")
        }
    }

    @Test func countsByNetwork() throws {
        let shards = try ExampleShards()
        let tally = try shards.merge(shards.writeAll(3)).tally
        #expect(tally.networks.map(\.survived) == [2, 2, 2] && tally.networks.map(\.failed) == [1, 1, 1])
        #expect(tally.networks.map(\.decided) == [3, 3, 3] && tally.undecided == 3)
        #expect(tally.networks[1].findings.map(\.title) == Self.findings)
        #expect(tally.verdict == .fail)
    }

    @Test func namesAMissingShardAndItsRuns() throws {
        let shards = try ExampleShards()
        let report = try shards.merge(Array(shards.writeAll(4)[..<3]))
        let words = [
            "no report of shard 4/4",
            "3 of 12 runs are missing: \"3G, run 4, seed 43\", \"Slow Net, run 4, seed 43\", \"Edge, run 4, seed 43\"",
        ]
        #expect(report.missing == words)
        let summary = try shards.directory.read("merged/summary.md")
        let page = try shards.directory.read("merged/report.html")
        #expect(summary.contains("no report of shard 4/4.") && page.contains("no report of shard 4/4"))
        #expect(try shards.directory.read("merged/summary.json").contains(#""missing": ["#))
    }

    /// Without the missing shard, nothing failed: that is no success.
    @Test func isInconclusiveWithoutAShard() throws {
        var shards = try ExampleShards()
        shards.context.list = TrialList(shards.context.list.networks, repetitions: 1, seed: 40)
        let first = try shards.write("first", shard: Shard("1/2"), indices: [0, 2])
        let report = try shards.merge([first])
        #expect(report.verdict == .inconclusive && report.exitStatus == 1)
    }

    @Test func isInconclusiveIfARunOfAShardIsNotThere() throws {
        let shards = try ExampleShards()
        let one = try shards.write("one", shard: Shard("1/2"), indices: [0, 2, 4, 6, 8])
        let two = try shards.write("two", shard: Shard("2/2"))
        #expect(try shards.merge([one, two]).missing == ["1 of 12 runs are missing: \"Edge, run 3, seed 42\""])
    }

    @Test func refusesAShardTwice() throws {
        let shards = try ExampleShards()
        let paths = try shards.writeAll(2)
        let again = try shards.write("again", shard: Shard("2/2"))
        #expect(try shards.refusals(paths + [again]) == ["again": "shard 2/2 is also in \(paths[1])"])
    }

    @Test func refusesOtherRuns() throws {
        let shards = try ExampleShards()
        let first = try shards.write("first", shard: Shard("1/2"))
        func refusal(_ change: (inout TrialsReport.Context) -> Void, shard: String = "2/2") throws -> String? {
            var others = shards
            change(&others.context)
            let second = try others.write("second", shard: Shard(shard))
            return try shards.refusals([first, second])["second"]
        }
        let list = shards.context.list
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0.version = "2.0" } == "its version of linkcond is 2.0, and that of \(first) is 1.0")
        #expect(try refusal { $0.command = ["./other"] }?.hasPrefix("its command is ./other, and that of") == true)
        #expect(
            try refusal { $0.list = TrialList(list.networks, repetitions: 4, seed: 41) }
                == "its seed is 41, and that of \(first) is 40"
        )
        #expect(
            try refusal { $0.list = TrialList(list.networks, repetitions: 5, seed: 40) }
                == "its number of runs of each network is 5, and that of \(first) is 4"
        )
        #expect(
            try refusal { $0.list = TrialList(Array(list.networks[..<2]), repetitions: 4, seed: 40) }
                == "its list of networks is 3G, Slow Net, and that of \(first) is 3G, Slow Net, Edge"
        )
        var networks = list.networks
        networks[1].digest = "other"
        #expect(
            try refusal { $0.list = TrialList(networks, repetitions: 4, seed: 40) }
                == "its network \"Slow Net\" has other conditions than that of \(first)"
        )
        #expect(try refusal { $0.options = ["--offline"] }?.hasPrefix("its list of options is --offline") == true)
        #expect(try refusal { $0.timings = "abc" } == "its --timings is abc, and that of \(first) is none")
        #expect(try refusal { $0.isStrict = true } == "it differs from \(first)")
        #expect(try refusal({ _ in }, shard: "2/3") == "its number of shards is 3, and that of \(first) is 2")
    }

    @Test func refusesAFileThatIsCutOffOrChanged() throws {
        let shards = try ExampleShards()
        let paths = try shards.writeAll(2)
        let text = try shards.directory.read("shard-2/summary.json")
        func refusal(_ text: String) throws -> String? {
            _ = try shards.directory.write("shard-2/summary.json", text)
            return try shards.refusals(paths)["shard-2"]
        }
        for length in [0, 1, text.count / 2, text.count - 1] {
            #expect(try refusal(String(text.prefix(length)))?.hasPrefix("summary.json is cut off") == true)
        }
        let better = text.replacing("\"verdict\": \"fail\"", with: "\"verdict\": \"pass\"")
        #expect(better != text)
        #expect(try refusal(better) == "summary.json was changed after linkcond wrote it")
        #expect(try refusal(text) == nil)
    }

    /// A digest is no signature: even a file whose digest is right must make sense.
    @Test func refusesRunsOfAnotherShard() throws {
        let shards = try ExampleShards()
        let one = try shards.write("one", shard: Shard("1/2"), indices: [0, 1])
        #expect(try shards.refusals([one]) == ["one": "summary.json has runs of another shard than 1/2"])
    }

    @Test func refusesWhatIsNoShard() throws {
        let shards = try ExampleShards()
        let whole = try shards.write("whole")
        #expect(try shards.refusals([whole]) == ["whole": "it is the report of a whole matrix, and no shard's"])
        _ = try FileManager.default.createDirectory(atPath: shards.path("empty"), withIntermediateDirectories: true)
        #expect(try shards.refusals([shards.path("empty")]) == ["empty": "there is no summary.json"])
        #expect(try shards.refusals([shards.path("none")]) == ["none": "No such file or directory"])
    }

    @Test func copiesTheReportsOfTheRuns() throws {
        let shards = try ExampleShards()
        let paths = try shards.writeAll(2)
        let run = URL(filePath: paths[1]).appending(path: shards.context.list[3].directory)
        try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
        for (name, text) in [("report.html", "<p>"), ("output.log", "so"), ("notes.txt", "of somebody")] {
            try Data(text.utf8).write(to: run.appending(path: name))
        }
        try FileManager.default.createSymbolicLink(
            at: run.appending(path: "packets.pcapng"),
            withDestinationURL: URL(filePath: "/etc/passwd")
        )
        #expect(throws: (any Error).self, "a link is not followed") { try shards.merge(paths) }
        try FileManager.default.removeItem(at: run.appending(path: "packets.pcapng"))
        try shards.merge(paths)
        let directory = "merged/\(shards.context.list[3].directory)"
        #expect(try shards.directory.read("\(directory)/report.html") == "<p>")
        #expect(try shards.directory.read("\(directory)/output.log") == "so")
        #expect(throws: (any Error).self) { try shards.directory.read("\(directory)/notes.txt") }
    }

    @Test func doesNotReplaceOneOfTheShards() throws {
        let shards = try ExampleShards()
        let paths = try shards.writeAll(2)
        #expect(throws: ShardMerge.Refusal.self) { try shards.merge(paths, into: "shard-1") }
    }
}
