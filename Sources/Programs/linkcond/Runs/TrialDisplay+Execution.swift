// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import Reports
import Sandboxing
import Trials

extension TrialDisplay {
    /// Runs the trials, shows their progress on a terminal, prints and writes the results, and exits. A signal that
    /// arrives meanwhile ends this process.
    ///
    /// - Parameters:
    ///   - trials: the trials of the selection; none if the shard is empty.
    ///   - plan: the plan of one of the networks.
    ///   - options: the options that affect the results.
    ///   - population: the networks with their shares of a population; nil without shares.
    ///   - output: the path of the directory for the report, nil for none; and whether to print JSON.
    ///   - isSeeded: whether the command line has the seed; otherwise, the line that repeats the runs gets it.
    static func run(
        _ selection: TrialSelection,
        _ trials: [Trial],
        _ title: String,
        like plan: ObservedPlan,
        options: [String],
        population: Population? = nil,
        _ pace: JobPace,
        _ output: (report: String?, isJSON: Bool),
        isSeeded: Bool
    ) throws -> Never {
        let runner = try TrialRunner(pace)
        let directory = try output.report.map { try ReportDirectory($0, for: plan.command.account) }
        if let shard = selection.shard, trials.isEmpty {
            Console.failure("note: shard \(shard) has no runs, since there are \(selection.list.count)")
        }
        var display = TrialDisplay()
        // Of repeated runs, those that started last.
        let isLong = selection.list.repetitions > 1
        let results = runner.run(trials) { states in
            display.draw {
                let started = states.indices.filter { if case .waiting = states[$0] { false } else { true } }
                let shown = isLong ? Array(started.suffix(12)) : Array(states.indices)
                return lines(shown.map { trials[$0] }, shown.map { states[$0] })
            }
        }
        display.erase()
        // Without a report, a signal leaves nothing.
        if directory == nil { runner.dieIfInterrupted() }
        let context = TrialsReport.Context(
            title: title,
            command: plan.command.words,
            repetition: repetition(newSeed: isSeeded ? nil : selection.list.seed),
            version: Linkcond.version,
            options: options,
            isStrict: plan.isStrict,
            list: selection.list,
            shard: selection.shard.map { "\($0)" },
            timings: selection.timings,
            population: population
        )
        let ended = results.compactMap { $0 }
        let left = trials.count - ended.count
        let missing = left > 0 ? ["\(left) of \(counted(trials.count, "run")) are missing: a signal ended them"] : []
        let report = TrialsReport(context, ended, missing: missing)
        // Before anything is printed, which a closed pipe would end.
        let isWritten = Failure.attempt {
            try directory?.write(report, ended.lazy.map { TrialText($0, strict: context.isStrict) })
        }
        report.show(ended, below: output.report, asJSON: output.isJSON)
        runner.dieIfInterrupted()
        Glibc.exit(isWritten || report.exitStatus != 0 ? report.exitStatus : Linkcond.wrapperFailure)
    }

    /// The command line that repeats all runs of the list, whichever shard this is.
    private static func repetition(newSeed: UInt64?) -> [String] {
        let (words, options) = (CommandLine.arguments, CommandLine.options(without: ShardOptions.ownNames))
        let seed = newSeed.map { ["--seed", "\($0)"] } ?? []
        return ["linkcond"] + words.dropFirst().prefix(1) + options + seed + words.drop { $0 != "--" }
    }
}

extension TrialSelection {
    /// Prints the trials, a line of JSON each.
    func print(_ trials: [Trial]) {
        let lines = zip(entries, trials).map { entry, trial in
            JSON(
                ("index", .number(entry.index)),
                ("network", .text(list.networks[entry.network].name)),
                ("number", .number(entry.number)),
                ("seed", .number(entry.seed)),
                ("name", .text(entry.name)),
                ("command", trial.plan.repetition.json)
            )
        }
        Console.data(lines.map { OutputLine($0.line) })
    }
}
