// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
package import LinkProfiles

/// The results of several runs of one command: under several profiles, or with several seeds.
package struct TrialsReport: Hashable, Sendable {
    package struct Trial: Hashable, Sendable {
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

        package init(
            name: String,
            directory: String?,
            log: String,
            status: Int32?,
            failure: String?,
            report: RunReport?,
            duration: Duration,
            lastLines: [String]
        ) {
            (self.name, self.directory, self.log) = (name, directory, log)
            (self.status, self.failure, self.report) = (status, failure, report)
            (self.duration, self.lastLines) = (duration, lastLines)
        }
    }

    /// The title of the report: "matrix" or "repeat".
    package var title: String
    package var command: [String]
    /// The command line that made the runs.
    package var repetition: [String]
    package var version: String
    /// The runs, in the order in which they were requested.
    package var trials: [Trial]

    package init(title: String, command: [String], repetition: [String], version: String, trials: [Trial]) {
        (self.title, self.command, self.repetition) = (title, command, repetition)
        (self.version, self.trials) = (version, trials)
    }

    /// The worst verdict of all runs.
    package var verdict: Verdict { Verdict.worst(of: trials.compactMap { $0.report?.verdict }) }

    /// The expectations of all runs, each once, in order.
    package var expectations: [String] {
        var known: Set<String> = []
        return trials.flatMap { $0.report?.results ?? [] }.map(\.expectation).filter { known.insert($0).inserted }
    }

    package var hasFailed: Bool { trials.contains { $0.isFailure } }

    /// All runs in their order if there are at most `limit`; else the first `limit`, failed ones first.
    func failedFirst(limit: Int) -> [Trial] {
        guard trials.count > limit else { return trials }
        return Array((trials.filter(\.isFailure) + trials.filter { !$0.isFailure }).prefix(limit))
    }

    /// The exit status: 125 if linkcond itself failed; else the first exit status of a command that is not zero; else 1
    /// if an expectation failed, or, with `strict`, is inconclusive.
    package func exitStatus(strict: Bool) -> Int32 {
        if trials.contains(where: { $0.status == nil }) { return 125 }
        return trials.compactMap(\.status).first { $0 != 0 } ?? (verdict.isFailure(strict: strict) ? 1 : 0)
    }

    /// The results in the format of summary.json.
    ///
    /// - Parameter directory: the directory of this report, which contains the runs' directories; nil if none is kept.
    package func json(below directory: String?) -> JSON {
        JSON(
            ("version", .number(1)),
            ("verdict", .text(verdict.rawValue)),
            ("command", .list(command)),
            ("runs", .list(trials.map { $0.json(below: directory) }))
        )
    }
}

extension TrialsReport.Trial {
    fileprivate func json(below parent: String?) -> JSON {
        JSON(
            ("name", .text(name)),
            ("status", .number(status)),
            ("failure", .text(failure)),
            ("directory", .text(directory.flatMap { name in parent.map { "\($0)/\(name)" } })),
            ("report", report?.json)
        )
    }

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
