// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientObservation
import Glibc
import LinkProfiles

extension Linkcond {
    /// `linkcond matrix -p PROFILE... -- COMMAND...`
    struct Matrix: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "matrix",
            _superCommandName: "linkcond",
            abstract: "Run a command under several profiles, side by side, and compare what came out.",
            usage: "linkcond matrix -p PROFILE [-p PROFILE ...] [OPTIONS] -- COMMAND [ARGUMENT...]",
            discussion: """
                Each run has a private network of its own; its standard input is empty. A run that fails stops no \
                other. With --report, report.html, junit.xml and summary.md there compare the runs, and each run has a \
                directory with its own report and its output.log; without, the last lines of a failing run are printed.

                Exit status: 125 if linkcond fails; else the command's first that is not 0, in the order of the \
                profiles; else 1 if an expectation failed; else 0.
                """
        )

        @Option(
            name: [.customShort("p"), .customLong("profile")],
            help: "A profile's name or path, or a scenario's path; repeatable."
        )
        var profiles: [String] = []

        @Option(name: .long, help: "Run this many at the same time. Default: eight for each processor.")
        var jobs: Int?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup var observation: ObservationOptions
        @OptionGroup var options: TrialOptions
        @OptionGroup var catalogOptions: CatalogOptions

        @Argument(parsing: .postTerminator, help: "The command and its arguments, after \"--\".")
        var command: [String] = []

        mutating func validate() throws {
            guard let program = command.first else {
                throw ValidationError("Missing a command: linkcond matrix -p PROFILE -- COMMAND")
            }
            guard !program.isEmpty else { throw ValidationError("The command is empty.") }
            guard !profiles.isEmpty else {
                throw ValidationError("Missing a profile: linkcond matrix -p PROFILE -- COMMAND")
            }
            guard 1...TrialOptions.mostJobs ~= jobs ?? 1 else {
                throw ValidationError("--jobs is from 1 to \(TrialOptions.mostJobs).")
            }
        }

        func run() throws {
            let cells = try MatrixCell.all(profiles, catalogOptions)
            let shared =
                options.arguments + (options.timeout.map { ["--timeout", $0] } ?? [])
                + (options.seed.map { ["--seed", "\($0)"] } ?? [])
                + observation.texts.flatMap { ["--expect", $0] }
                + catalogOptions.profilePath.flatMap { ["--profile-path", $0] }
            let trials = cells.map { cell in
                Trial(
                    name: cell.name,
                    options: cell.arguments + shared,
                    command: CommandLine.lastArguments(command.count),
                    directory: observation.report.map { "\($0)/\(cell.directory)" },
                    isWatched: TrialDisplay.isShown
                )
            }
            let runner = try TrialRunner(jobs: jobs ?? Self.usualJobs, user: options.user)
            let directory = try observation.report.map { try ReportDirectory($0, for: runner.account) }
            var display = TrialDisplay()
            let results = runner.run(trials) { states in display.draw { TrialDisplay.lines(trials, states) } }
            display.erase()
            runner.dieIfInterrupted()
            finish(TrialSummary(results: results.compactMap { $0 }), directory)
        }

        private func finish(_ summary: TrialSummary, _ directory: ReportDirectory?) -> Never {
            let output = summary.json(command: command)
            if json { Console.data(output) } else { Console.data(summary.table) }
            for text in summary.results.compactMap({ $0.excerpt() }) { Console.notes(text) }
            if summary.verdict == .inconclusive, !observation.strict {
                Console.failure("note: not every expectation has an answer; --strict makes that a failure")
            }
            let status = summary.exitStatus(strict: observation.strict)
            let isWritten = Failure.attempt {
                try directory?.write(
                    summary.report("Matrix", command: command, below: observation.report ?? ""),
                    output,
                    strict: observation.strict
                )
            }
            Glibc.exit(isWritten || status != 0 ? status : Linkcond.wrapperFailure)
        }

        /// A command mostly waits for its network: a processor carries several.
        static var usualJobs: Int { 8 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    }
}
