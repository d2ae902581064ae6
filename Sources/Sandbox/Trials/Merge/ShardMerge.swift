// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import Glibc
internal import LinuxSystem
package import Reports

/// Joins the reports of the shards of one list of runs into the report that one machine would have written.
package struct ShardMerge {
    /// All reasons why the directories cannot be merged.
    package struct Refusal: Error { package let shards: [UnusableShard] }

    package let report: TrialsReport
    private let spool: TrialSpool
    /// The directories of the shards by their numbers.
    private let paths: [Int: String]

    /// The most names in a sentence on missing runs.
    private static let maximumNames = 5

    /// Reads the reports in the directories.
    ///
    /// - Parameters:
    ///   - target: the directory of the new report, which must not be one of them; nil for none.
    ///   - observe: called with each directory before it is read.
    package init(_ directories: [String], into target: String?, observe: (String) -> Void) throws {
        var problems: [UnusableShard] = []
        var first: ShardReport?
        var paths: [Int: String] = [:]
        var spool: TrialSpool?
        // One report after the other: memory follows the largest shard, and not their number.
        for directory in directories {
            observe(directory)
            do throws(UnusableShard) {
                guard target.flatMap({ FileIdentity($0) }).map({ $0 == FileIdentity(directory) }) != true else {
                    let reason = "it is the directory of --report, which would replace it: name another one there"
                    throw UnusableShard(directory, reason, canBeLeftOut: false)
                }
                let shard = try ShardReport(directory)
                if let first, let difference = shard.difference(from: first) {
                    throw UnusableShard(directory, difference)
                }
                let number = shard.shard.number
                if let other = paths[number] {
                    let reason = other == directory ? "it is given twice" : "shard \(shard.shard) is also in \(other)"
                    throw UnusableShard(directory, reason)
                }
                paths[number] = directory
                if first == nil { first = shard.withoutRuns }
                spool = try Self.add(shard, to: spool, paths)
            } catch {
                problems.append(error)
            }
        }
        guard problems.isEmpty, let first, let spool else { throw Refusal(shards: problems) }
        var context = first.context
        (context.shard, context.timings) = (nil, nil)
        var report = TrialsReport(context, missing: Self.missing(first, spool, paths))
        for index in 0..<context.list.count {
            if let trial = try spool.trial(index)?.trial { report.add(trial) }
        }
        (self.report, self.spool, self.paths) = (report, spool, paths)
    }

    /// All runs, in the order of the list.
    package var runs: some Sequence<TrialsReport.Trial> {
        (0..<report.context.list.count).lazy.compactMap { [spool] in try? spool.trial($0)?.trial }
    }

    /// Writes the report, and copies the reports of the runs.
    ///
    /// - Parameter observe: called with the name of each run before it is copied.
    package func write(to directory: ReportDirectory, observe: (String) -> Void) throws {
        for index in 0..<report.context.list.count {
            guard let (trial, shard) = try spool.trial(index), let name = trial.directory, let path = paths[shard],
                let source = try OthersDirectory(path).folder(name)
            else { continue }
            observe(trial.name)
            try directory.copy(from: source, to: name)
        }
        try directory.write(report, spool)
    }

    private static func add(
        _ shard: ShardReport,
        to spool: TrialSpool?,
        _ paths: [Int: String]
    ) throws(UnusableShard) -> TrialSpool {
        do {
            let spool = try spool ?? TrialSpool(count: shard.context.list.count)
            for run in shard.runs {
                let other = try spool.add(run, of: shard.shard.number, strict: shard.context.isStrict)
                guard let other else { continue }
                throw UnusableShard(shard.path, "the run \"\(run.name)\" is also in \(paths[other] ?? "another shard")")
            }
            return spool
        } catch {
            // A full disk is no fault of the shard.
            throw error as? UnusableShard ?? UnusableShard(shard.path, "\(error)", canBeLeftOut: false)
        }
    }

    /// Sentences on the shards and runs that are not there.
    private static func missing(_ first: ShardReport, _ spool: TrialSpool, _ paths: [Int: String]) -> [String] {
        let (list, count) = (first.context.list, first.shard.count)
        let shards = (1...count).filter { paths[$0] == nil }
        let missing = spool.missing
        guard !missing.isEmpty else { return [] }
        let names = missing.prefix(maximumNames).map { "\"\(list[$0].name)\"" }.joined(separator: ", ")
        let more = missing.count > maximumNames ? " and \(missing.count - maximumNames) more" : ""
        let runs = "\(missing.count) of \(list.count) runs are missing: \(names)\(more)"
        guard !shards.isEmpty else { return [runs] }
        let words = shards.prefix(20).map { "\($0)/\(count)" }.joined(separator: ", ")
        let rest = shards.count > 20 ? " and \(shards.count - 20) more" : ""
        return ["no report of \(shards.count > 1 ? "shards" : "shard") \(words)\(rest)", runs]
    }
}
