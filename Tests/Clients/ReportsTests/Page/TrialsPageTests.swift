// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Testing

@testable import Reports

struct TrialsPageTests {
    @Test
    func givesEachCellItsReason() {
        let results = [
            Example.result("completes within 1 s", .fail, "the command ended after 10 s"),
            Example.result("exits with 0", .pass, "the command exited with 0"),
        ]
        let trial = TrialsReport.Trial(
            name: "Slow Net",
            directory: "slow-net",
            log: "output.log",
            status: 0,
            failure: nil,
            report: Example.report(results: results),
            duration: .seconds(10),
            lastLines: ["the client's word", "linkcond: FAIL  completes within 1 s"]
        )
        let page = TrialsPage(
            TrialsReport(title: "Matrix", command: ["a"], repetition: ["b"], version: "0", trials: [trial])
        ).text
        #expect(
            page.contains("class=\"cell fail\"><span class=\"verdict fail\">FAIL</span><p>the command ended after 10 s")
        )
        #expect(
            page.contains("class=\"cell pass\"><span class=\"verdict pass\">pass</span><p>the command exited with 0")
        )
        #expect(page.contains("the client&#39;s word"))
        // It stands above in other words.
        #expect(!page.contains("linkcond: FAIL"))
    }
}
