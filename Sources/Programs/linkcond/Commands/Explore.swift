// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientVerdicts
import Exploration
import Glibc
import LinkProfiles
import ProfileCatalog
import Reports
import Sandboxing
import Trials

extension Linkcond {
    struct Explore: ParsableCommand {
        static let configuration = CommandConfiguration(
            .explore,
            abstract: "Search for broken networks under which a command fails.",
            usage: "linkcond explore [PROFILE] [--expect TEXT ...] [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                Draws networks at random from a seed, from mild to wild, and runs the command in each, in a private \
                network of its own. The first run, on a good network, shows which servers and names are used; the others \
                break those. A run fails if an expectation fails; without expectations, or with \
                --also-status, also if the command does not exit with 0. \
                What fails again is made smaller until nothing smaller fails, and written as a scenario, with the line \
                that repeats it. The search goes on until the budget ends: what fails in another way, or where other \
                things go wrong, is another finding. Expectations may refer to the step 'restored', from which on \
                everything is as at the start.

                Exit status: 0 if nothing was found, 1 if something was, or if the command fails in the first run.
                """,
            examples: "explore 3g --expect 'sends no request twice' -- ./test",
            "explore --only faults --budget 5m --timeout 20s -- ./test"
        )

        @Argument(
            help: ArgumentHelp(
                "The profile of a network in which nothing goes wrong. Default: one without impairments.",
                valueName: "PROFILE"
            )
        )
        var named: String?

        @Option(
            name: [.customShort("p"), .customLong("profile")],
            help: ArgumentHelp("The same as PROFILE.", valueName: "PROFILE")
        )
        var option: String?

        @OptionGroup var limits: ExploreOptions

        @Option(
            name: .long,
            help: ArgumentHelp("Run this many at the same time. Default: one for each processor.", valueName: "N")
        )
        var jobs: Int?

        @Option(
            name: .customLong("write"),
            help:
                ArgumentHelp(
                    "Write the first scenario that fails to this file, further ones to FILE-2 and so on. Default: explored.json.",
                    valueName: "FILE"
                )
        )
        var file: String?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup var observation: ObservationOptions
        @OptionGroup var options: TrialOptions
        @OptionGroup(title: "Rare") var catalogOptions: CatalogOptions

        @Argument(
            parsing: .postTerminator,
            help: ArgumentHelp("The command and its arguments, after \"--\".", valueName: "COMMAND")
        )
        var command: [String] = []

        func validate() throws {
            try Linkcond.require(command, "explore")
            guard named == nil || option == nil else {
                throw ValidationError("explore begins with one profile: leave out -p.")
            }
            guard 1...TrialOptions.maximumJobs ~= jobs ?? 1 else { throw ValidationError(TrialOptions.jobsRange) }
            guard profile != "-" else {
                throw ValidationError("explore cannot read a profile from standard input; give it a file.")
            }
            guard !observation.failFast || !observation.texts.isEmpty else {
                throw ValidationError("--fail-fast needs an expectation: --expect.")
            }
            _ = try observation.expectations(labels: [DisturbanceTimeline.restored])
        }

        /// The profile of the first run, as given.
        var profile: String? { named ?? option }

        func run() throws {
            var base =
                try profile.map { try catalogOptions.profile($0) }
                ?? LoadedProfile(profile: Profile(name: "Unconditioned"), origin: .commandLine)
            LoadedProfile.note([base])
            base = base.withAbsolutePaths
            base.profile.faults = try RemoteNames.resolved(base.profile.faults)
            let files = try ScenarioFiles(file)
            let command = try WrappedCommand(command.count, user: options.user, timeout: options.timeout)
            let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
            var runs = ExploredRuns(
                of: command,
                in: try options.uplink.sandbox(around: command, nil, catalogOptions),
                base: base,
                catalog: catalogOptions.catalog,
                expecting: try observation.expectations(),
                failsFast: observation.failFast,
                seed: seed,
                options: options.words,
                version: Linkcond.version
            ) { try $0.request(seed: nil) }
            let budget = try limits.time()
            let runner = try TrialRunner(JobPace(fixed: jobs ?? Self.processors))
            let reports = try observation.report.map { try ExploredReports(in: $0, for: command.account) }
            let start = ContinuousClock.now
            let first = try firstRun(runs, runner, budget)
            runs.setTimeout(usual: first.duration)
            let client = ObservedClient(first, hasUplink: !options.uplink.offline)
            let generator = TimelineGenerator(client, base: base.profile, seed: seed, kinds: try limits.kinds())
            guard !generator.kinds.isEmpty else {
                throw Failure(.usage, "none of these kinds can happen to what the command does", remedy: "other --only")
            }
            // The first run counts towards the limit, and so do the runs for reports.
            let reportRuns = reports == nil ? 0 : 1
            let maximum = TimelineSearch.Limits(
                runs: max((limits.runs ?? TrialOptions.maximumRuns) - 1, 1 + reportRuns),
                runsOfFinding: reportRuns,
                stopsAtFirst: limits.first
            )
            var explorer = Explorer(
                TimelineSearch(generator, share: limits.share ?? .usual, maximum),
                checksStatus: checksStatus
            )
            var display = TrialDisplay()
            try explorer.run(
                runner,
                jobs: jobs ?? Self.processors,
                budget: budget - start.duration(to: .now)
            ) {
                try runs.trial($0, left: $1)
            } observe: { state in
                display.draw { state.progress(left: budget - start.duration(to: .now)) }
            }
            display.erase()
            let found = explorer.search.findings
            var findings = zip(found, files.paths(found.count)).map { finding, path in
                ExploredFinding(finding, explorer.failure(of: finding), path, runs)
            }
            try reports?.make(of: &findings, runner)
            finish(ExploredText(explorer, runs, seed: seed, findings), files, runner)
        }

        /// Runs the command without disturbances; ends this process if the command fails even so.
        private func firstRun(_ runs: ExploredRuns, _ runner: TrialRunner, _ budget: Duration) throws -> RunReport {
            let trial = try runs.first(left: budget)
            let results = runner.run([trial]) { _ in }
            // In other cases, the runner handles the signal later.
            if runner.interruption != nil { runner.dieIfInterrupted() }
            guard let result = results.first ?? nil else {
                throw Failure(.internalError, "the first run has no result")
            }
            guard !result.isUnusable, let report = result.report else { throw UnusableTrial(result: result) }
            if case .failed(let checks) = result.timelineOutcome(checksStatus: checksStatus) {
                let found = result.finding ?? "exit status \(result.status ?? 0)"
                Console.failure("the command fails without anything wrong, so there is nothing to find: \(found)")
                let output = result.lastLines.suffix(10).map { "  \($0)" }
                Console.notes(
                    output.isEmpty
                        ? "the command printed nothing"
                        : "the last lines of its output:\n" + output.joined(separator: "\n")
                )
                if json {
                    Console.data(
                        JSON(
                            ("version", .number(1)),
                            ("found", false),
                            ("first", .list(checks.sorted().map { JSON(.string($0)) }))
                        )
                    )
                }
                Glibc.exit(1)
            }
            if result.isUndecided, let finding = result.finding {
                Console.failure("note: the first run has no answer: \(finding)")
            }
            return report
        }

        private func finish(_ text: ExploredText, _ files: ScenarioFiles, _ runner: TrialRunner) -> Never {
            let isWritten = text.findings.map { each in
                Failure.attempt { try files.write(each.scenario, to: each.file) }
            }
            Console.data(text.lines, or: text.json, asJSON: json)
            runner.dieIfInterrupted()
            guard !isWritten.contains(false) else { Glibc.exit(Failure.Status.inputOutput.rawValue) }
            Glibc.exit(text.isFound ? 1 : observation.strict && text.isInconclusive ? 1 : 0)
        }

        private var checksStatus: Bool { limits.alsoStatus || observation.texts.isEmpty }

        private static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    }
}
