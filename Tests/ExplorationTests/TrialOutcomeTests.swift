// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Exploration
import LinkProfiles
import Testing
import Trials

@testable import Reports

/// What a search is told of a run.
@Suite struct TrialOutcomeTests {
    private func outcome(_ end: CommandEnd, _ status: Int32, isBusy: Bool) -> TimelineRun.Outcome {
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
            results: [],
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
        ).timelineOutcome
    }

    @Test func leavesATimeLimitOnABusyMachineInDoubt() {
        #expect(outcome(.timedOut, 124, isBusy: true) == .inconclusive)
        #expect(outcome(.timedOut, 124, isBusy: false) == .failed([TrialsReport.Trial.exitCheck]))
        #expect(outcome(.exited(1), 1, isBusy: true) == .failed([TrialsReport.Trial.exitCheck]))
        #expect(outcome(.exited(0), 0, isBusy: true) == .passed)
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
