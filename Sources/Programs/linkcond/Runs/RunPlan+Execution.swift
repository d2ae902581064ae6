// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Glibc
import LinkConditioning
import LinuxSystem
import Reports
import Sandboxing
import Trials

extension RunPlan {
    /// Runs the command, prints the results, and ends this process with the command's exit status or signal.
    ///
    /// - Parameters:
    ///   - files: the files of a trial, through which the report is returned to the runner; nil outside of a trial.
    ///   - network: the option that names the network namespace in which the command runs.
    func execute(_ display: RunDisplay?, _ files: TrialFiles? = nil, in network: String = "") throws -> Never {
        let listener = Supervision.Listener(
            note: { text, remedy in
                display?.erase()
                Console.failure("note: \(ConditioningNote(text, remedy: remedy).words(in: network))")
            },
            report: { text in
                display?.erase()
                Console.notes(text)
            },
            progress: display.map { display in { display.show($0) } }
        )
        defer { display?.erase() }
        let (end, run) = try run(listener)
        display?.erase()
        if case .notStarted(let code?) = end {
            Console.failure("cannot run \(command.words[0]): \(String(cString: strerror(code)))")
        }
        guard let run else { exit(like: end) }
        let status = run.conclude(end, files)
        if end.exitStatus == 0, let signal = Interruption.signal { exit(like: .killed(signal)) }
        if end.exitStatus == 0, status != 0 { Glibc.exit(status) }
        exit(like: end)
    }
}

extension ObservedRun {
    /// Prints the verdicts, writes the report, and returns it to the runner of a trial.
    ///
    /// - Returns: the exit status for a command that exited with 0: 125 if the report could not be written, 1 if an
    ///   expectation failed, else 0.
    fileprivate func conclude(_ end: CommandEnd, _ files: TrialFiles?) -> CInt {
        let (report, unknownEvents) = report(end)
        for line in report.lines(unknownEvents: unknownEvents, strict: plan.isStrict) { Console.failure(line) }
        var digest: String?
        let isWritten = Failure.attempt { digest = try write(report) }
        let isHandedBack = Failure.attempt { try files?.handBack(report, digest: digest) }
        guard isWritten, isHandedBack else { return Linkcond.wrapperFailure }
        return report.verdict.isFailure(strict: plan.isStrict) ? 1 : 0
    }
}
