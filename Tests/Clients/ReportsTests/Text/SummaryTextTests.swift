// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Testing

@testable import Reports

struct SummaryTextTests {
    @Test
    func namesTheVerdictAndTheLineThatRepeatsIt() {
        let result = Example.result("at most 1 connection", .fail, "3 connections")
        let text = SummaryText(Example.report(results: [result])).text
        #expect(text.hasPrefix("## FAIL: Slow Net\n"))
        #expect(text.contains("| FAIL | at most 1 connection | 3 connections |"))
        #expect(text.contains("linkcond run 'Slow Net' --seed 7"))
    }

    @Test
    func drawsTheConnectionsInCharacters() {
        let text = SummaryText(Example.report()).text
        // 60 characters for 10 s: asked for from the 7th, open from the 9th, answered from the 12th to the 44th.
        let bar = String(repeating: " ", count: 6) + "░░▒▒▒" + String(repeating: "█", count: 33)
        #expect(text.contains(bar.dropLast(2)))
    }

    @Test
    func escapesWhatIsMarkup() {
        let text = SummaryText.plain("a|b *c* [d](e) <f> `g`\nh")
        #expect(text == "a\\|b \\*c\\* \\[d\\](e) &lt;f&gt; \\`g\\` h")
        let report = Example.report(results: [Example.result("x", .fail, "a\n\n# b")])
        #expect(!SummaryText(report).text.contains("\n# b"))
    }
}
