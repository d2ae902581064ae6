// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Testing

@testable import Reports

struct RunReportTests {
    @Test
    func isReadBackWithoutItsTimeline() {
        var report = Example.report(results: [Example.result("exits with 0", .pass, "it did")], outcome: .killed(9))
        report.totals.undelivered = 3
        let json = report.json
        report.timeline = nil
        #expect(RunReport(json: json) == report)
    }

    @Test
    func listsTheFirstPacketsOfAFinding() {
        let result = Example.result("exits with 0", .fail, "it did not")
        #expect(result.packetList() == "3, 5")
        #expect(result.packetList(limit: 1) == "3 and 1 more")
    }
}
