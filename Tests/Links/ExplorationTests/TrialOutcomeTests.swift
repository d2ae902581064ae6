// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Exploration
import LinkProfiles
import Testing
import Trials

@testable import Reports

/// What a search is told of a run.
@Suite struct TrialOutcomeTests {
    private func outcome(
        _ end: CommandEnd,
        _ status: Int32,
        isBusy: Bool = false,
        checksStatus: Bool = true,
        _ verdicts: Verdict...
    ) -> TimelineRun.Outcome {
        let context = RunReport.Context(
            command: ["client"],
            profile: nil,
            scenario: nil,
            seed: 1,
            engine: "userspace",
            kernel: "6.1",
            version: "0",
            repetition: []
        )
        var report = RunReport(
            context,
            end,
            begin: 0,
            duration: .seconds(10),
            results: verdicts.enumerated().map { number, verdict in
                let expectation = "at most \(number) connection\(number == 1 ? "" : "s")"
                return RunReport.Result(
                    expectation: expectation,
                    verdict: verdict,
                    finding: "so",
                    packets: [],
                    remedy: nil
                )
            },
            totals: RunReport.Totals()
        )
        report.isBusy = isBusy
        return TrialsReport.Trial(
            name: "run",
            directory: nil,
            log: "output.log",
            status: status,
            failure: nil,
            report: report,
            duration: .seconds(10),
            lastLines: []
        ).timelineOutcome(checksStatus: checksStatus)
    }

    @Test func leavesATimeLimitOnABusyMachineInDoubt() {
        #expect(outcome(.timedOut, 124, isBusy: true) == .inconclusive)
        #expect(outcome(.timedOut, 124, isBusy: false) == .failed([TrialsReport.Trial.exitCheck]))
        #expect(outcome(.exited(1), 1, isBusy: true) == .failed([TrialsReport.Trial.exitCheck]))
        #expect(outcome(.exited(0), 0, isBusy: true) == .passed)
    }

    /// A client that gives up on a bad link, and says so by its exit status, does what it should.
    @Test func looksAtTheStatusOnlyWhereItIsAsked() {
        #expect(outcome(.exited(7), 7, checksStatus: false, .pass) == .passed)
        #expect(outcome(.exited(7), 7, checksStatus: false, .pass, .fail) == .failed(["at most 1 connection"]))
        #expect(outcome(.exited(7), 7, checksStatus: false, .inconclusive) == .inconclusive)
        let both = Set(["at most 0 connections", TrialsReport.Trial.exitCheck])
        #expect(outcome(.exited(7), 7, .fail) == .failed(both))
    }

    @Test func callsAMachineBusyWhereProcessesWaitedAQuarterOfTheTime() {
        let begin = Instant(nanoseconds: 1_000_000_000)
        var record = RunRecord(begin: begin, end: begin + .seconds(10), outcome: .timedOut)
        #expect(!record.isBusy)
        for (waited, isBusy) in [(2400, false), (2600, true)] {
            record.stalls = [
                RunRecord.Stall(from: begin, to: begin + .seconds(10), waited: .milliseconds(waited))
            ]
            #expect(record.isBusy == isBusy)
        }
    }
}
