// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Foundation
import LinkProfiles
import TestKit

@testable import Reports
@testable import Trials

/// A matrix of three networks with four runs each, and the reports of its shards in a temporary directory.
struct ExampleShards {
    let directory: TemporaryDirectory
    var context: TrialsReport.Context

    /// One run in three fails.
    private static let names = ["3G", "Slow Net", "Edge"]
    static let expectation = "at most 2 connections"

    init() throws {
        directory = try TemporaryDirectory()
        let networks = Self.names.enumerated().map { number, name in
            TrialList.Network(name: name, directory: "network-\(number)", digest: "digest of \(name)")
        }
        context = TrialsReport.Context(
            title: "Matrix",
            command: ["./client", "a b"],
            repetition: ["linkcond", "matrix", "--", "./client", "a b"],
            version: "1.0",
            options: ["--expect", Self.expectation],
            list: TrialList(networks, repetitions: 4, seed: 40)
        )
    }

    func path(_ name: String) -> String { directory.url.appending(path: name).path }

    func trial(_ index: Int) -> TrialsReport.Trial {
        let entry = context.list[index]
        let verdict = [Verdict.pass, .fail, .pass, .inconclusive][index % 4]
        let result = RunReport.Result(
            expectation: Self.expectation,
            verdict: verdict,
            finding: "\(index) connections",
            packets: [index],
            remedy: "a cap"
        )
        let report = RunReport(
            RunReport.Context(
                command: context.command,
                profile: context.list.networks[entry.network].name,
                scenario: nil,
                seed: entry.seed ?? 0,
                engine: "userspace",
                kernel: "6.6",
                version: "1.0",
                repetition: ["linkcond", "run"]
            ),
            .exited(0),
            begin: 1_700_000_000_000_000_000,
            duration: .milliseconds(1500 + index),
            results: [result],
            totals: RunReport.Totals()
        )
        return TrialsReport.Trial(
            index: index,
            name: entry.name,
            directory: entry.directory,
            log: "output.log",
            status: 0,
            failure: nil,
            report: report,
            duration: report.duration,
            lastLines: verdict == .fail ? ["so \"it\" ended"] : []
        )
    }

    /// Writes the report of a shard, or of the whole, into the directory `name`.
    @discardableResult
    func write(_ name: String, shard: Shard? = nil, indices: [Int]? = nil) throws -> String {
        var context = context
        context.shard = shard.map { "\($0)" }
        let own = indices ?? shard.map { ShardAssignment().indices(of: $0, in: context.list) }
        let trials = (own ?? Array(0..<context.list.count)).map { trial($0) }
        let report = TrialsReport(context, trials)
        try ReportDirectory(path(name), for: nil).write(report, trials.map { TrialText($0, strict: context.isStrict) })
        return path(name)
    }

    /// Writes the reports of all `count` shards; returns their directories.
    func writeAll(_ count: Int) throws -> [String] {
        try (1...count).map { try write("shard-\($0)", shard: Shard("\($0)/\(count)")) }
    }

    /// Merges directories into the directory `target`.
    @discardableResult
    func merge(_ directories: [String], into target: String = "merged") throws -> TrialsReport {
        let merge = try ShardMerge(directories, into: path(target)) { _ in }
        try merge.write(to: ReportDirectory(path(target), for: nil)) { _ in }
        return merge.report
    }

    /// The reasons why the directories are refused, by the names of the directories; empty if they are merged.
    func refusals(_ directories: [String]) throws -> [String: String] {
        do {
            try merge(directories)
            return [:]
        } catch let refusal as ShardMerge.Refusal {
            let reasons = refusal.shards.map { (($0.path as NSString).lastPathComponent, $0.reason) }
            return Dictionary(reasons) { "\($0); \($1)" }
        }
    }
}
