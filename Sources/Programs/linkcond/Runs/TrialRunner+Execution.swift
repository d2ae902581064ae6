// SPDX-License-Identifier: Apache-2.0

import Glibc
import Sandboxing
import Trials

extension TrialRunner {
    /// Makes a runner of trials, each of which writes to its log what `run` would print.
    convenience init(_ pace: JobPace) throws {
        try self.init(pace: pace, words: { Failure($0).summary }) { trial, files in
            do {
                let display = RunDisplay(.none, file: files.progress, timeout: trial.plan.command.timeout)
                try RunPlan.observed(trial.plan).execute(display, files)
            } catch {
                let failure = Failure(error)
                Console.failure(failure.message)
                try? files.handBack(failure: failure.summary)
                Glibc.exit(Linkcond.wrapperFailure)
            }
        }
    }
}
