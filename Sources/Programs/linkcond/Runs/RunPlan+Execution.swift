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
    ///   - pane: what a pane beside the run shows; nil for no pane.
    ///   - network: the option that names the network namespace in which the command runs.
    func execute(
        _ display: RunDisplay?,
        _ files: TrialFiles? = nil,
        pane subject: PaneProcess.Subject? = nil,
        in network: String = ""
    ) throws -> Never {
        var listener = Supervision.Listener(
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
        var pane: PaneProcess?
        if let subject { listener.ready = { pane = PaneProcess(showing: subject, of: $0) } }
        let (end, run): (CommandEnd, ObservedRun?)
        do {
            (end, run) = try self.run(listener)
        } catch {
            pane?.end()
            throw error
        }
        display?.erase()
        if case .notStarted(let code?) = end {
            Console.failure("cannot run \(command.words[0]): \(String(cString: strerror(code)))")
        }
        let status = run?.conclude(end, files)
        pane?.end()
        guard let status else { exit(like: end) }
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
