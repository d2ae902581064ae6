// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import ProfileCatalog
import Reports
import Sandboxing
import Trials

extension Linkcond {
    struct Limits: ParsableCommand {
        static let configuration = CommandConfiguration(
            .limits,
            abstract: "Find the worst link that a command survives.",
            usage: "linkcond limits --vary FIGURE=FROM..TO [PROFILE] [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                Runs the command again and again, each time in a private network of its own, on links that differ in \
                one figure. A run survives if the command exits with 0 and each expectation passes. The limit is the \
                value at which half of the runs survive; its interval holds it with a confidence of 95 %, provided \
                that a harsher link lets no more runs survive. Several figures are searched one after the other, each \
                with the others as in the profile.

                Exit status: 0 if the command survives the mildest link, 1 if it does not, 125 if linkcond fails.
                """,
            examples: "limits --vary loss=0..50% -- ./test",
            "limits --vary delay=0..2s lte --timeout 20s -- ./test"
        )

        @Option(
            name: .customLong("vary"),
            help: ArgumentHelp(
                "The figure to vary, such as loss=0..50%, delay=0..2s or uplink.rate=10Mbit/s..10kbit/s; repeatable.",
                valueName: "FIGURE=RANGE"
            )
        )
        var figures: [String] = []

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Stop after this time (\"90\" or \"90s\", \"5m\"), shared among the figures.",
                valueName: "TIME"
            )
        )
        var budget = "5m"

        @Option(name: .long, help: ArgumentHelp("Run this many at the same time.", valueName: "N"))
        var jobs = 1

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup var profileOptions: ProfileOptions
        @OptionGroup var observation: ObservationOptions
        @OptionGroup var options: TrialOptions

        @Argument(
            parsing: .postTerminator,
            help: ArgumentHelp("The command and its arguments, after \"--\".", valueName: "COMMAND")
        )
        var command: [String] = []

        func validate() throws {
            try Linkcond.require(command, "limits --vary loss=0..50%")
            guard !figures.isEmpty else {
                throw ValidationError("Missing a figure to vary: linkcond limits --vary loss=0..50% -- COMMAND")
            }
            guard 1...TrialOptions.maximumJobs ~= jobs else { throw ValidationError(TrialOptions.jobsRange) }
            _ = try EndingOptions.time(budget)
            guard !observation.failFast || !observation.texts.isEmpty else {
                throw ValidationError("--fail-fast needs an expectation: --expect.")
            }
            guard profileOptions.profile != "-" else {
                throw ValidationError("limits cannot read a profile from standard input; give it a file.")
            }
            _ = try ranges()
        }

        private func ranges() throws(ValidationError) -> [FigureRange] {
            var ranges: [FigureRange] = []
            var problems: [String] = []
            for text in figures {
                do throws(UnreadableRange) {
                    let range = try FigureRange(parsing: text)
                    if ranges.contains(where: { "\($0)" == "\(range)" }) { problems.append("\(range) is given twice") }
                    ranges.append(range)
                } catch {
                    problems.append(error.description)
                }
            }
            guard problems.isEmpty else { throw ValidationError("--vary:\n" + problems.joined(separator: "\n")) }
            return ranges
        }

        func run() throws {
            let (ranges, time) = (try ranges(), try EndingOptions.time(budget))
            let loaded = try profileOptions.loadIfGiven() ?? ProfileOptions.blank
            LoadedProfile.note([loaded])
            let base = try loaded.request(seed: nil)
            // Finds contradictions, such as jitter without a delay, before the first run.
            for range in ranges {
                for share in [0.0, 0.5, 1] { _ = try base.profile.varied(range, at: share) }
            }
            let command = try WrappedCommand(command.count, user: options.user, timeout: options.timeout)
            let plan = ObservedPlan(
                command,
                in: try options.uplink.sandbox(around: command, RunConditions(base), profileOptions.catalogOptions),
                expecting: try observation.expectations(),
                failsFast: observation.failFast,
                // These runs write no reports.
                options: [],
                version: Linkcond.version
            )
            let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
            let runner = try TrialRunner(JobPace(fixed: jobs))
            let directory = try observation.report.map { try ReportDirectory($0, for: command.account) }
            var display = TrialDisplay()
            if !TrialDisplay.isShown { Console.failure("note: this takes up to \(time.words), as --budget says") }
            var searches = LimitSearches(ranges)
            try searches.run(
                runner,
                jobs: jobs,
                seed: seed,
                budget: time
            ) { range, share, seed, left in
                var varied = plan
                varied.sandbox.conditions?.request.profile = try base.profile.varied(range, at: share)
                varied.command.timeout = min(options.timeout ?? left, left)
                return Trial("seed \(seed)", varied, seed: seed)
            } observe: { state in
                display.draw { state.lines }
            }
            display.erase()
            runner.dieIfInterrupted()
            finish(searches.ended, directory, CommandLine.repetition(newSeed: options.seed == nil ? seed : nil))
        }

        private func finish(
            _ searches: [LimitSearch],
            _ directory: ReportDirectory?,
            _ repetition: [String]
        ) -> Never {
            let output = JSON(
                ("version", .number(1)),
                ("command", .list(command.map { JSON(.string($0)) })),
                ("limits", .list(searches.map(\.json)))
            )
            Console.data(searches.flatMap { [OutputLine($0.sentence)] + $0.picture }, or: output, asJSON: json)
            let hasFailed = searches.contains { $0.search.survivesNothing }
            let isUnknown = observation.strict && searches.contains { $0.stop == .inconclusive }
            let isWritten = Failure.attempt {
                let limits = LimitsReport(
                    command: command,
                    repetition: repetition,
                    version: Linkcond.version,
                    limits: searches.map { LimitsReport.Limit($0.range, $0.search, $0.sentence) }
                )
                try directory?.write(limits, output)
            }
            Glibc.exit(hasFailed || isUnknown ? 1 : isWritten ? 0 : Linkcond.wrapperFailure)
        }
    }
}

extension Profile {
    fileprivate func varied(_ range: FigureRange, at share: Double) throws(InvalidProfile) -> Profile {
        try overriding(range.parts.map { ($0, "\(range.figure.rawValue)=\(range.value(at: share))") })
    }
}

extension LimitSearches.State {
    fileprivate var lines: [OutputLine] {
        let time = "\(isEstimated ? "about" : "at most") \(rest.wholeSeconds) left"
        return ended.map { OutputLine($0.sentence) } + current.progress(time)
    }
}

extension LimitSearch {
    fileprivate func progress(_ rest: String) -> [OutputLine] {
        let tried = value(at: search.next)
        // The time comes first, since a narrow terminal cuts off the end of the line.
        return [
            OutputLine(
                heading: "\(range): ",
                "run \(attempts.count + 1) at \(tried), \(rest); limit near \(value(at: search.estimate)), \(interval)"
            )
        ] + picture
    }
}
