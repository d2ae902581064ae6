// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Testing

@testable import Reports

struct TrialsReportTests {
    private func report(_ runs: (status: Int32?, verdict: Verdict)...) -> TrialsReport {
        let trials = runs.map { status, verdict in
            TrialsReport.Trial(
                name: "run",
                directory: nil,
                log: "output.log",
                status: status,
                failure: status == nil ? "no network" : nil,
                report: status.map {
                    Example.report(
                        results: [Example.result("at most 1 connections", verdict, "so")],
                        outcome: .exited($0)
                    )
                },
                duration: .seconds(1),
                lastLines: []
            )
        }
        return TrialsReport(title: "Matrix", command: ["a"], repetition: ["b"], version: "0", trials: trials)
    }

    @Test
    func takesTheGravestExitStatus() {
        #expect(report((0, .pass), (0, .pass)).exitStatus(strict: true) == 0)
        #expect(report((0, .pass), (0, .fail)).exitStatus(strict: false) == 1)
        #expect(report((0, .fail), (0, .pass), (3, .pass), (4, .pass)).exitStatus(strict: false) == 3)
        #expect(report((3, .pass), (nil, .pass), (0, .fail)).exitStatus(strict: false) == 125)
    }

    @Test
    func takesDoubtForAFailureOnlyIfAsked() {
        let doubtful = report((0, .pass), (0, .inconclusive))
        #expect(doubtful.exitStatus(strict: false) == 0)
        #expect(doubtful.exitStatus(strict: true) == 1)
    }

    @Test
    func showsFirstWhatFailedOfTooManyRuns() {
        let report = report((0, .pass), (0, .fail), (0, .pass))
        #expect(report.failedFirst(limit: 3).map(\.isFailure) == [false, true, false])
        #expect(report.failedFirst(limit: 2).map(\.isFailure) == [true, false])
    }
}
