// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientVerdicts
import Glibc
import LinkConditioning
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
                directory with its own report and its output.log; without, the last lines of a failing run are printed. \
                With --repeat, each network has several runs, with the same seeds as the others; with --shard, several \
                machines share the runs.

                Exit status: 125 if linkcond fails; else the command's first that is not 0, in the order of the \
                profiles; else 1 if an expectation failed; else 0.
                """,
            examples: "matrix wi-fi 3g very-bad-network -- ./test",
            "matrix --broken --repeat 20 --seed 1 --shard 2/4 -- ./test"
        )

        @OptionGroup private var networks: MatrixNetworks

        @Flag(name: .long, help: "Add the broken networks: all that \"list --broken\" shows.")
        var broken = false

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Run on the networks of a population, and sum up the share of it that the command survives: a file, or "
                    + "a name such as \"UK Mobile 2024\".",
                valueName: "FILE"
            )
        )
        var weights: String?

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Run this many at the same time. Default: as many as the processors carry.",
                valueName: "N"
            )
        )
        var jobs: Int?

        @Option(
            name: .customLong("repeat"),
            help: ArgumentHelp(
                "Run the command this many times on each network, with one seed after the other. Default: 1.",
                valueName: "N"
            )
        )
        var repetitions = 1

        @OptionGroup private var shards: ShardOptions

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
            guard broken || !profiles.isEmpty || weights != nil else {
                throw ValidationError("Missing a profile: linkcond matrix PROFILE... -- COMMAND")
            }
            guard weights == nil || profiles.isEmpty && !broken else {
                throw ValidationError("--weights names the networks: leave out the profiles and --broken.")
            }
            guard parts.rules != "-" else {
                throw ValidationError("matrix cannot read rules from standard input; give it a file.")
            }
            guard 1...TrialOptions.maximumJobs ~= jobs ?? 1 else { throw ValidationError(TrialOptions.jobsRange) }
            guard 1...TrialOptions.maximumRuns ~= repetitions else { throw ValidationError(TrialOptions.repeatRange) }
        }

        /// The profiles and scenarios, as given.
        var profiles: [String] { networks.words }

        func run() throws {
            let catalog = catalogOptions.catalog
            let population = try weights.map { try catalog.population($0) }
            let words = population?.words ?? profiles + brokenNetworks()
            guard words.count <= TrialOptions.maximumRuns / repetitions else {
                let (networks, limit) = (words.count, TrialOptions.maximumRuns)
                let problem = "\(networks) networks, \(repetitions) times each, are more than \(limit) runs"
                throw Failure(.usage, problem, remedy: "--repeat \(limit / networks)")
            }
            if words.contains(where: { !Catalog.isPath($0) }) { CatalogOptions.note(catalog) }
            let selection = try traffic.selection()
            let cells = try MatrixCell.all(words, in: catalog, observe: LoadedProfile.note) {
                try $0.request(selection, seed: nil)
            }
            // One seed for all networks, so that a line repeats all runs.
            let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
            let loadedRules = try parts.rules.map { try LoadedRules.read(path: $0, catalog: catalog) }
            LoadedProfile.note(loadedRules?.rules.map(\.profile) ?? [])
            let networks = try cells.map { try $0.network.with(loadedRules) }
            let list = TrialList(networks, repetitions: repetitions, seed: seed)
            let runs = try shards.selection(of: list, isSeeded: options.seed != nil)
            let rules = try loadedRules?.requests(beside: selection) { try $0.request($1, seed: nil) } ?? []
            let command = try WrappedCommand(command.count, user: options.user, timeout: options.timeout)
            let plans = try cells.map { try plan($0, rules, of: command) }
            if observation.failFast, plans.allSatisfy(\.expectations.isEmpty) {
                throw ValidationError("--fail-fast needs an expectation: --expect, or those of the scenarios.")
            }
            let isWatched = TrialDisplay.isShown
            let trials = Trial.all(runs, of: plans, report: observation.report, isWatched: isWatched)
            guard !shards.listTrials else { return runs.print(trials) }
            try TrialDisplay.run(
                runs,
                trials,
                "Matrix",
                like: plans[0],
                options: optionWords,
                population: population?.population,
                jobs.map { JobPace(fixed: $0) } ?? JobPace(processors: Self.processors),
                (observation.report, isJSON: json),
                isSeeded: options.seed != nil
            )
        }

        /// The options that affect the results, as a user types them.
        private var optionWords: [String] {
            traffic.words + (parts.rules.map { ["--rules", $0] } ?? []) + options.words
                + observation.texts.flatMap { ["--expect", $0] }
                + catalogOptions.profilePath.flatMap { ["--profile-path", $0] }
                + (observation.strict ? ["--strict"] : [])
        }

        private func plan(
            _ cell: MatrixCell,
            _ rules: [RuleRequest],
            of command: WrappedCommand
        ) throws -> ObservedPlan {
            var conditions = cell.conditions
            conditions.rules = rules
            return ObservedPlan(
                command,
                in: try options.uplink.sandbox(around: command, conditions, catalogOptions),
                expecting: try observation.expectations() + cell.expectations,
                isStrict: observation.strict,
                failsFast: observation.failFast,
                options: cell.words + optionWords,
                version: Linkcond.version
            )
        }

        /// The names of the broken networks if --broken is given, except those that the user named as well. With
        /// --offline, networks that need an uplink are left out, with a note.
        private func brokenNetworks() -> [String] {
            guard broken else { return [] }
            let named = Set(profiles.map(Profile.normalized))
            let profiles = catalogOptions.catalog.all().profiles.filter(\.isBroken).map(\.profile)
            let networks =
                profiles.map { (name: $0.name, needsUplink: !$0.networkKeys.isEmpty) }
                + Catalog.brokenScenarioNames.map { (name: $0, needsUplink: true) }
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
