// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientVerdicts
import Glibc
import LinkProfiles
import ProfileCatalog
import Reports
import Sandboxing
import Trials

extension Linkcond {
    struct Matrix: ParsableCommand {
        static let configuration = CommandConfiguration(
            .matrix,
            abstract: "Run a command on several links, and compare the results.",
            usage: "linkcond matrix PROFILE... [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                Each run has a private network of its own; its standard input is empty. A run that fails stops no \
                other. With --report, report.html, junit.xml and summary.md there compare the runs, and each run has a \
                directory with its own report and its output.log; without, the last lines of a failing run are printed.

                Exit status: 125 if linkcond fails; else the command's first that is not 0, in the order of the \
                profiles; else 1 if an expectation failed; else 0.
                """,
            examples: "matrix wi-fi 3g very-bad-network -- ./test",
            "matrix --broken --expect 'leaves no connection open' -- ./test"
        )

        @OptionGroup private var networks: MatrixNetworks

        @Flag(name: .long, help: "Add the broken networks: all that \"list --broken\" shows.")
        var broken = false

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Run this many at the same time. Default: as many as the processors carry.",
                valueName: "N"
            )
        )
        var jobs: Int?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup(title: "Link") private var traffic: TrafficOptions
        @OptionGroup(title: "Link") private var parts: RulesOptions
        @OptionGroup var observation: ObservationOptions
        @OptionGroup var options: TrialOptions
        @OptionGroup(title: "Rare") var catalogOptions: CatalogOptions

        @Argument(
            parsing: .postTerminator,
            help: ArgumentHelp("The command and its arguments, after \"--\".", valueName: "COMMAND")
        )
        var command: [String] = []

        mutating func validate() throws {
            try Linkcond.require(command, "matrix PROFILE...")
            guard broken || !profiles.isEmpty else {
                throw ValidationError("Missing a profile: linkcond matrix PROFILE... -- COMMAND")
            }
            guard parts.rules != "-" else {
                throw ValidationError("matrix cannot read rules from standard input; give it a file.")
            }
            guard 1...TrialOptions.maximumJobs ~= jobs ?? 1 else { throw ValidationError(TrialOptions.jobsRange) }
        }

        /// The profiles and scenarios, as given.
        var profiles: [String] { networks.words }

        func run() throws {
            let (words, catalog) = (profiles + brokenNetworks(), catalogOptions.catalog)
            // One for all runs, so that a line repeats them.
            let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
            if words.contains(where: { !Catalog.isPath($0) }) { CatalogOptions.note(catalog) }
            let selection = try traffic.selection()
            let cells = try MatrixCell.all(words, in: catalog, observe: LoadedProfile.note) {
                try $0.request(selection, seed: nil)
            }
            let loadedRules = try parts.rules.map { try LoadedRules.read(path: $0, catalog: catalog) }
            LoadedProfile.note(loadedRules?.rules.map(\.profile) ?? [])
            let rules = try loadedRules?.requests(beside: selection) { try $0.request($1, seed: nil) } ?? []
            let command = try WrappedCommand(command.count, user: options.user, timeout: options.timeout)
            let optionWords =
                traffic.words + (parts.rules.map { ["--rules", $0] } ?? []) + options.words
                + observation.texts.flatMap { ["--expect", $0] }
                + catalogOptions.profilePath.flatMap { ["--profile-path", $0] }
                + (observation.strict ? ["--strict"] : [])
            let trials = try cells.map { cell in
                var conditions = cell.conditions
                conditions.rules = rules
                return Trial(
                    cell.name,
                    ObservedPlan(
                        command,
                        in: try options.uplink.sandbox(around: command, conditions, catalogOptions),
                        expecting: try observation.expectations() + cell.expectations,
                        isStrict: observation.strict,
                        failsFast: observation.failFast,
                        options: cell.words + optionWords,
                        version: Linkcond.version
                    ),
                    seed: seed,
                    report: observation.report,
                    directory: cell.directory,
                    isWatched: TrialDisplay.isShown
                )
            }
            if observation.failFast, trials.allSatisfy(\.plan.expectations.isEmpty) {
                throw ValidationError("--fail-fast needs an expectation: --expect, or those of the scenarios.")
            }
            let (report, directory) = try TrialDisplay.run(
                trials,
                "Matrix",
                jobs.map { JobPace(fixed: $0) } ?? JobPace(processors: Self.processors),
                observation.report,
                newSeed: options.seed == nil ? seed : nil
            ) { TrialDisplay.lines(trials, $0) }
            Console.data(report.table, or: report.json(below: observation.report), asJSON: json)
            for text in report.trials.compactMap({ $0.excerpt(below: observation.report) }) { Console.notes(text) }
            if report.verdict == .inconclusive, !observation.strict {
                Console.failure("note: not every expectation has an answer; --strict makes that a failure")
            }
            report.finish(directory, strict: observation.strict)
        }

        /// The names of the broken networks if --broken is given, except those that the user named as well. With
        /// --offline, networks that need an uplink are left out, with a note.
        private func brokenNetworks() -> [String] {
            guard broken else { return [] }
            let named = Set(profiles.map(Profile.normalized))
            let profiles = catalogOptions.catalog.all().profiles.map(\.profile).filter { !$0.brokenWords.isEmpty }
            let networks =
                profiles.map { (name: $0.name, needsUplink: !$0.networkKeys.isEmpty) }
                + Catalog.scenarioNames.map { (name: $0, needsUplink: true) }
            let others = networks.filter { !named.contains(Profile.normalized($0.name)) }
            let left = options.uplink.offline ? others.filter(\.needsUplink).map(\.name) : []
            if !left.isEmpty {
                Console.failure("note: left out, because of --offline: \(left.joined(separator: ", "))")
            }
            return others.map(\.name).filter { !left.contains($0) }
        }

        private static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    }
}

extension TrialsReport {
    fileprivate var table: [OutputLine] {
        let header = [
            "PROFILE", "VERDICT", "STATUS", "TIME", "CONNECTIONS", "SENT AGAIN", "DROPPED", "FINDINGS",
        ]
        var table = Table(header: header)
        for trial in trials {
            let totals = trial.report?.totals
            let counts = [totals?.connections, totals?.retransmissions, totals?.dropped]
            let cells =
                [trial.name, trial.word, trial.status.map { "\($0)" } ?? "-", trial.duration.words]
                + counts.map { $0.map { "\($0)" } ?? "-" }
            let findings = trial.findings
            table.add(cells + findings.prefix(1))
            for finding in findings.dropFirst() { table.add(cells.map { _ in "" } + [finding]) }
        }
        return table.lines()
    }
}

extension TrialsReport.Trial {
    /// For a trial that failed: the last lines of its output or the path of its log, with a heading; nil if it
    /// succeeded.
    fileprivate func excerpt(below report: String?) -> String? {
        guard !isSuccess else { return nil }
        if let report, let directory { return "\(name): see \(report)/\(directory)/\(log)" }
        // The table has linkcond's verdicts.
        let isJudged = self.report?.results.isEmpty == false
        let output = lastLines.filter { !isJudged || !$0.hasPrefix("linkcond: ") || $0.hasPrefix("linkcond: cannot ") }
        guard !output.isEmpty else { return nil }
        let lines = output.suffix(10).map { "  \($0)" }.joined(separator: "\n")
        return "\(name), the last lines of its output:\n\(lines)"
    }
}
