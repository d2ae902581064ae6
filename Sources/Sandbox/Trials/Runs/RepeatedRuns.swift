// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkConditioning
package import Reports
internal import Sandboxing
package import Statistics

extension ObservedPlan {
    /// Makes runs that differ only in their seed, each with its own directory below that of the report.
    ///
    /// - Parameters:
    ///   - report: the directory of the report on all runs; nil for none.
    ///   - isWatched: whether the progress of the runs is shown.
    package func repetitions(_ count: Int, report: String?, isWatched: Bool) -> [Trial] {
        // Without conditions, nothing is random, and there is no seed.
        let first = sandbox.conditions.map { $0.request.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) }
        return (0..<count).map { number in
            let seed = first.map { $0 &+ UInt64(number) }
            return Trial(
                "run \(number + 1)" + (seed.map { ", seed \($0)" } ?? ""),
                self,
                seed: seed,
                report: report,
                directory: "run-\(number + 1)",
                isWatched: isWatched
            )
        }
    }
}

/// The results of runs that differ in their seed.
package struct RepeatedRuns {
    /// The number of runs with each verdict on one expectation.
    package struct Counts {
        package let expectation: String
        package let (passed, failed, inconclusive): (Int, Int, Int)
    }

    /// The numbers of runs whose command exited with 0, and of runs whose command did not.
    package let (succeeded, notSucceeded): (Int, Int)
    package let counts: [Counts]
    /// The share of failed runs among the runs that were not inconclusive.
    package let failureRate: WilsonInterval
    package let failures: [TrialsReport.Trial]
    /// The runs without a report, since linkcond failed.
    package let unreported: [TrialsReport.Trial]

    package init(_ trials: [TrialsReport.Trial]) {
        let reports = trials.compactMap(\.report)
        succeeded = trials.count { $0.status == 0 }
        notSucceeded = reports.count - succeeded
        counts = (reports.first?.results ?? []).enumerated().map { index, result in
            let verdicts = reports.map { $0.results.indices.contains(index) ? $0.results[index].verdict : .skipped }
            func count(_ verdict: Verdict) -> Int { verdicts.count { $0 == verdict } }
            return Counts(
                expectation: result.expectation,
                passed: count(.pass),
                failed: count(.fail),
                inconclusive: count(.inconclusive)
            )
        }
        failures = trials.filter { $0.report != nil && $0.isFailure }
        failureRate = WilsonInterval(failures.count, of: reports.count - trials.count { $0.isUndecided })
        unreported = trials.filter { $0.report == nil }
    }
}
