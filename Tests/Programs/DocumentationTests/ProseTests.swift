// SPDX-License-Identifier: Apache-2.0

import Testing

/// How sentences are found and counted.
@Suite struct ProseTests {
    @Test func splitsSentencesAtTheirEnds() {
        let prose = Prose(markdown: "It waits 2.5 s. Then (of course) \"it ends.\" Is it\nlate? No, e.g. now.")
        let expected = ["It waits 2.5 s.", "Then (of course) \"it ends.\"", "Is it late?", "No, e.g. now."]
        #expect(prose.sentences == expected)
    }

    @Test func countsCodeAndLinksAsTheyAreRead() {
        let prose = Prose(markdown: "Type `linkcond run -- true` as [the page](run.md#a) says.")
        #expect(prose.sentences == ["Type CODE as the page says."])
        #expect(prose.wordCount == 6)
    }

    @Test func leavesOutWhatIsNoProse() {
        let page = """
            # A heading. Of three

            <!-- a comment. In
            two lines -->
            ```console
            $ One sentence. Two sentences.
            ```
            | a table. Of | cells |
            |---|---|
            Before ![a picture. Of it](a.png) it ends.
            """
        let prose = Prose(markdown: page)
        #expect(prose.sentences == ["Before it ends."])
        #expect(prose.wordCount == 11)
    }

    @Test func takesEachItemOfAListForItself() {
        let page = """
            Three ways:
            - short
            - an item that has no full stop at its end
            1. A sentence
               of two lines.
            """
        let prose = Prose(markdown: page)
        let expected = ["Three ways:", "an item that has no full stop at its end", "A sentence of two lines."]
        #expect(prose.sentences == expected)
    }

    @Test(arguments: [(50, 2), (75, 3), (76, 9), (90, 9), (0, 1)])
    func findsPercentiles(percent: Int, expected: Int) {
        #expect(Prose.percentile(percent, of: [3, 1, 9, 2]) == expected)
        #expect(Prose.percentile(percent, of: []) == 0)
    }
}
