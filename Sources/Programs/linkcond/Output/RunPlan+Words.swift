// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Glibc
import LinkConditioning
import LinkProfiles
import LinuxSystem
import ProfileCatalog
import Reports
import Sandboxing
import Trials

extension RunPlan {
    /// Runs the command, prints what came out, and ends this process as the command ended.
    ///
    /// - Parameters:
    ///   - files: those of a trial, to which the report is handed back.
    ///   - network: the option that names the network that the command runs in.
    func carryOut(_ display: RunDisplay?, _ files: TrialFiles? = nil, in network: String = "") throws -> Never {
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
        let status = run.tell(end, files)
        if end.exitStatus == 0, let signal = Interruption.signal { exit(like: .killed(signal)) }
        if end.exitStatus == 0, status != 0 { Glibc.exit(status) }
        exit(like: end)
    }
}

extension ObservedRun {
    /// Prints the verdicts, writes the report and hands it back.
    ///
    /// - Returns: the exit status of a run whose command's own is 0: 125 if the report could not be written, 1 if an
    ///   expectation failed.
    fileprivate func tell(_ end: CommandEnd, _ files: TrialFiles?) -> CInt {
        let (report, unknownEvents) = report(end)
        if !unknownEvents.isEmpty {
            let names = unknownEvents.sorted().joined(separator: ", ")
            Console.failure("note: events of the run's record mean nothing to this version: \(names)")
        }
        for sentence in report.clockSentences { Console.failure("note: \(sentence)") }
        for line in report.lines { Console.failure(line) }
        if let doubt = report.doubtSentence, !plan.isStrict {
            Console.failure("note: \(doubt); --strict makes that a failure")
        }
        let isWritten = Failure.attempt { try write(report) }
        let isHandedBack = Failure.attempt { try files?.handBack(report) }
        guard isWritten, isHandedBack else { return Linkcond.wrapperFailure }
        return report.verdict.isFailure(strict: plan.isStrict) ? 1 : 0
    }
}

extension TrialRunner {
    /// Makes a runner of trials, each of which prints to its log what `run` prints.
    convenience init(_ pace: JobPace) throws {
        try self.init(pace: pace, words: { Failure($0).summary }) { trial, files in
            do {
                let display = RunDisplay(.none, file: files.progress, timeout: trial.plan.command.timeout)
                try RunPlan.observed(trial.plan).carryOut(display, files)
            } catch {
                let failure = Failure(error)
                Console.failure(failure.message)
                try? files.handBack(failure: failure.summary)
                Glibc.exit(Linkcond.wrapperFailure)
            }
        }
    }
}

extension Failure {
    /// The problem in one line, which its last tells best.
    fileprivate var summary: String { problem.split(separator: "\n").last.map(String.init) ?? problem }
}

extension LoadedProfile {
    /// Prints a note for each that has a built-in profile's name.
    static func note(_ loaded: [LoadedProfile]) {
        for loaded in loaded where loaded.hidesBuiltIn {
            Console.failure("note: \"\(loaded.profile.name)\" is \(loaded.origin), not the built-in profile")
        }
    }
}
