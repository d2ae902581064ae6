// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts

/// The results of several runs of one command: under several profiles, or with several seeds.
package struct TrialsReport: Hashable, Sendable {
    package struct Trial: Hashable, Sendable {
        /// The run's position in the list of all runs, from 0.
        package var index: Int
        /// The run's profile, or its number and seed.
        package var name: String
        /// The directory of the run's report, relative to the directory of this report; nil if none is kept.
        package var directory: String?
        /// The name of the file in `directory` with the command's output.
        package var log: String
        /// The command's exit status, or 128 plus the number of the signal; nil if linkcond itself failed.
        package var status: Int32?
        /// The reason why linkcond itself failed; nil if it did not.
        package var failure: String?
        /// The run's report; nil if linkcond itself failed.
        package var report: RunReport?
        /// The duration of the command, or of the whole run if linkcond failed.
        package var duration: Duration
        /// The last lines of the output, if anything failed.
        package var lastLines: [String]
        /// The SHA-256 of the run's report.json, in hexadecimal; nil if none is kept.
        package var digest: String?

        package init(
            index: Int = 0,
            name: String,
            directory: String?,
            log: String,
            status: Int32?,
            failure: String?,
            report: RunReport?,
            duration: Duration,
            lastLines: [String],
            digest: String? = nil
        ) {
            (self.index, self.name, self.directory, self.log) = (index, name, directory, log)
            (self.status, self.failure, self.report) = (status, failure, report)
            (self.duration, self.lastLines, self.digest) = (duration, lastLines, digest)
        }
    }

    package let context: Context
    /// The counts of all runs.
    package private(set) var tally: TrialTally
    /// The runs to show, in the order of the list. Of very many, the first that failed and the first others.
    package private(set) var trials: [Trial] = []
    /// Sentences on runs that should be there, and are not: a shard that is missing.
    package let missing: [String]
    private var (keptFailed, keptOthers) = (0, 0)

    /// The most runs that failed, and the most others, that are kept for tables.
    private static let maximumKept = 1000

    /// A report without runs.
    package init(_ context: Context, missing: [String] = []) {
        (self.context, self.missing) = (context, missing)
        tally = TrialTally(networks: context.list.networks.map(\.name))
    }

    package init(_ context: Context, _ trials: [Trial], missing: [String] = []) {
        self.init(context, missing: missing)
        for trial in trials { add(trial) }
    }

    /// Adds a run. Runs are added in the order of the list.
    package mutating func add(_ trial: Trial) {
        tally.add(trial, network: context.list[trial.index].network)
        let isKept = (trial.isFailure ? keptFailed : keptOthers) < Self.maximumKept
        guard isKept else { return }
        if trial.isFailure { keptFailed += 1 } else { keptOthers += 1 }
        trials.append(trial)
    }

    /// The worst verdict of all runs; at least inconclusive if runs are missing.
    package var verdict: Verdict {
        missing.isEmpty ? tally.verdict : Verdict.worst(of: [tally.verdict, .inconclusive])
    }

    /// The verdict in a word.
    var word: String { tally.failed > 0 ? Verdict.fail.word : verdict.word }

    /// All runs that are kept if there are at most `limit`; else the first `limit`, failed ones first.
    func failedFirst(limit: Int) -> [Trial] {
        guard trials.count > limit else { return trials }
        return Array((trials.filter(\.isFailure) + trials.filter { !$0.isFailure }).prefix(limit))
    }

    /// The first of these runs on each network, if its runs are repeated; else all.
    package func firstOfEachNetwork(_ trials: [Trial]) -> [Trial] {
        guard context.list.isMatrix, context.list.repetitions > 1 else { return trials }
        var networks: Set<Int> = []
        return trials.filter { networks.insert(context.list[$0.index].network).inserted }
    }

    /// The exit status: 125 if linkcond itself failed; else the first exit status of a command that is not zero; else 1
    /// if an expectation failed, if runs are missing, or, with `--strict`, if an expectation is inconclusive.
    package var exitStatus: Int32 {
        if tally.errors > 0 { return 125 }
        return tally.firstStatus ?? (!missing.isEmpty || verdict.isFailure(strict: context.isStrict) ? 1 : 0)
    }
}

extension TrialsReport.Trial {
    /// Whether linkcond itself, the command, or an expectation failed.
    package var isFailure: Bool { status == nil || report?.verdict == .fail }

    /// Whether the command succeeded, and met all expectations.
    package var isSuccess: Bool { !isFailure && report?.verdict != .inconclusive }

    /// Whether the verdict is inconclusive.
    package var isUndecided: Bool { report?.verdict == .inconclusive }

    /// The reason why linkcond failed; else the first failed expectation with its finding, else the first inconclusive
    /// one; else a part of the conditions that met no packet; nil if there is none of these.
    package var finding: String? {
        if let failure { return failure }
        let results = report?.results ?? []
        let first = results.first { $0.verdict == .fail } ?? results.first { $0.verdict == .inconclusive }
        // Last, a part of the conditions that met no packet: it makes a success mean less.
        return first.map { "\($0.expectation): \($0.finding)" }
            ?? report?.missed.lazy.compactMap(\.part.missSentence).first
    }

    /// The result, in a word.
    package var word: String {
        report?.word ?? "error"
    }
}
