// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import Reports
import Sandboxing
import Trials

/// The execution of `run --repeat`.
extension ObservedPlan {
    /// Runs the command `count` times, with consecutive seeds, prints the results, and exits. With --list-trials, prints
    /// the runs instead.
    ///
    /// - Parameters:
    ///   - directory: the directory for the report; nil for none.
    ///   - isSeeded: whether the command line has the seed.
    func `repeat`(_ count: Int, _ course: RunCourseOptions, report directory: String?, isSeeded: Bool) throws {
        // Without conditions, nothing is random, and there is no seed.
        let seed = sandbox.conditions.map { $0.request.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) }
        let list = TrialList([network].compactMap { $0 }, repetitions: count, seed: seed)
        let selection = try course.shards.selection(of: list, isSeeded: isSeeded)
        let trials = Trial.all(selection, of: [self], report: directory, isWatched: TrialDisplay.isShown)
        guard !course.shards.listTrials else { return selection.print(trials) }
        try TrialDisplay.run(
            selection,
            trials,
            "Repeated runs",
            like: self,
            options: options,
            JobPace(fixed: course.jobs ?? 1),
            (directory, isJSON: false),
            isSeeded: isSeeded
        )
    }
}
