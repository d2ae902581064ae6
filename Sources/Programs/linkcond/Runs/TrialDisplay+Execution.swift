// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reports
import Sandboxing
import Trials

extension TrialDisplay {
    /// Runs the trials and shows their progress on a terminal; a signal that arrives meanwhile ends this process.
    ///
    /// - Parameters:
    ///   - directory: the path of the directory for the report; nil for none.
    ///   - newSeed: the seed of all trials, if the command line has none; the line that repeats them has it.
    ///   - lines: formats the states of the trials for the terminal.
    /// - Returns: the results, and the directory to write them to.
    static func run(
        _ trials: [Trial],
        _ title: String,
        _ pace: JobPace,
        _ directory: String?,
        newSeed: UInt64? = nil,
        lines: ([TrialRunner.State]) -> [OutputLine]
    ) throws -> (TrialsReport, ReportDirectory?) {
        let command = trials[0].plan.command
        let runner = try TrialRunner(pace)
        let directory = try directory.map { try ReportDirectory($0, for: command.account) }
        var display = TrialDisplay()
        let results = runner.run(trials) { states in display.draw { lines(states) } }
        display.erase()
        runner.dieIfInterrupted()
        let report = TrialsReport(
            title: title,
            command: command.words,
            repetition: CommandLine.repetition(newSeed: newSeed),
            version: Linkcond.version,
            trials: results.compactMap { $0 }
        )
        return (report, directory)
    }
}

extension TrialsReport {
    func finish(_ directory: ReportDirectory?, strict: Bool) -> Never {
        let status = exitStatus(strict: strict)
        let isWritten = Failure.attempt { try directory?.write(self, strict: strict) }
        Glibc.exit(isWritten || status != 0 ? status : Linkcond.wrapperFailure)
    }
}
