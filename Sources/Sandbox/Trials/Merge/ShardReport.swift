// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import Reports

/// The report of one shard, as its summary.json has it. The file may come from another machine: nothing in it is
/// taken for granted, and no symbolic link is followed.
struct ShardReport {
    /// The path of the report's directory, as given.
    let path: String
    let context: TrialsReport.Context
    let shard: Shard
    private(set) var runs: [TrialsReport.Trial]

    /// What other reports are compared with.
    var withoutRuns: ShardReport {
        var report = self
        report.runs = []
        return report
    }

    /// The longest summary.json that is read, in bytes.
    private static let longest = 1 << 30

    /// Reads the report in the directory at `path`; throws the reason in words.
    init(_ path: String) throws(UnusableShard) {
        self.path = path
        let directory = try OthersDirectory(path)
        let bytes = try directory.read(ReportDirectory.summary, limit: Self.longest)
        guard let (digest, content) = SummaryDigest.parts(of: bytes) else {
            throw UnusableShard(path, "summary.json is cut off, or was written by another version or program")
        }
        guard digest == SHA256.text(of: content) else {
            throw UnusableShard(path, "summary.json was changed after linkcond wrote it")
        }
        guard let json = try? JSON(utf8: bytes), let format: Int = json.required("version"),
            format == TrialsReport.formatVersion, let context = TrialsReport.Context(json: json),
            case .array(let elements)? = json["runs"]?.value
        else { throw UnusableShard(path, "summary.json has not the format of this version") }
        self.context = context
        guard let shard = context.shard.flatMap({ Shard($0) }) else {
            throw UnusableShard(path, "it is the report of a whole \(context.title.lowercased()), and no shard's")
        }
        self.shard = shard
        runs = elements.compactMap { TrialsReport.Trial(json: $0, log: TrialFiles.logName) }
        let indices = runs.map(\.index)
        let isOrdered = zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }
        let isKnown = runs.allSatisfy { run in
            guard context.list.indices ~= run.index else { return false }
            let entry = context.list[run.index]
            return run.name == entry.name && (run.directory ?? entry.directory) == entry.directory
        }
        guard runs.count == elements.count, isOrdered, isKnown else {
            throw UnusableShard(path, "summary.json has runs that are not in its list")
        }
        let own = ShardAssignment().indices(of: shard, in: context.list)
        guard context.timings != nil || Set(own).isSuperset(of: indices) else {
            throw UnusableShard(path, "summary.json has runs of another shard than \(shard)")
        }
        for run in runs {
            guard let name = run.directory, let digest = run.digest, let folder = try directory.folder(name) else {
                continue
            }
            let report = try folder.read(ReportDirectory.report, limit: Self.longest)
            guard SHA256.text(of: report) == digest else {
                throw UnusableShard(path, "\(name)/report.json was changed after linkcond wrote it")
            }
        }
    }

    /// The first difference from another shard's report that makes it part of another matrix; nil if they belong
    /// together.
    func difference(from other: ShardReport) -> String? {
        let (own, others) = (context, other.context)
        let figures: [(name: String, own: String, other: String)] = [
            ("version of linkcond", own.version, others.version),
            ("command", own.command.shellLine, others.command.shellLine),
            ("number of shards", "\(shard.count)", "\(other.shard.count)"),
            ("seed", own.list.seed.words, others.list.seed.words),
            ("number of runs of each network", "\(own.list.repetitions)", "\(others.list.repetitions)"),
            ("list of networks", own.list.networks.words, others.list.networks.words),
            ("list of options", own.options.shellLine, others.options.shellLine),
            ("population", own.population?.name ?? "none", others.population?.name ?? "none"),
            ("--timings", own.timings ?? "none", others.timings ?? "none"),
        ]
        if let figure = figures.first(where: { $0.own != $0.other }) {
            return "its \(figure.name) is \(figure.own), and that of \(other.path) is \(figure.other)"
        }
        for (network, same) in zip(own.list.networks, others.list.networks) where network.digest != same.digest {
            return "its network \"\(network.name)\" has other conditions than that of \(other.path)"
        }
        guard own.population == others.population else {
            return "its population has other networks or shares than that of \(other.path)"
        }
        return own.differsOnlyInShard(from: others) ? nil : "it differs from \(other.path)"
    }
}

/// The reason why a directory cannot be merged.
package struct UnusableShard: Error {
    /// The directory, as given.
    package let path: String
    package let reason: String
    /// Whether the others can be merged without it.
    package let canBeLeftOut: Bool

    init(_ path: String, _ reason: String, canBeLeftOut: Bool = true) {
        (self.path, self.reason, self.canBeLeftOut) = (path, reason, canBeLeftOut)
    }
}

extension TrialList {
    fileprivate var indices: Range<Int> { 0..<count }
}

extension TrialsReport.Context {
    fileprivate func differsOnlyInShard(from other: Self) -> Bool {
        var (one, two) = (self, other)
        (one.shard, two.shard) = (nil, nil)
        // The way in which the command line is typed makes no difference.
        (one.repetition, two.repetition) = ([], [])
        return one == two
    }
}

extension UInt64? {
    fileprivate var words: String { map { "\($0)" } ?? "none" }
}

extension [TrialList.Network] {
    fileprivate var words: String { map(\.name).joined(separator: ", ") }
}
