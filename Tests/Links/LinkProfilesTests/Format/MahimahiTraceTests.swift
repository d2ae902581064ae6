// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@Suite struct MahimahiTraceTests {
    private func trace(_ text: String) throws(Trace.Malformed) -> Trace {
        try Trace(text, format: .mahimahi)
    }

    @Test func readsOneOpportunityALine() throws {
        let trace = try trace("0\n0\n5\n12\n")
        #expect(trace.content == .opportunities([0, 0, 5, 12]))
        #expect(trace.length == .milliseconds(12))
        // Four times 1500 bytes in 12 ms.
        #expect(trace.meanRate == BitRate(bitsPerSecond: 4_000_000))
        #expect(trace.longestPause == .milliseconds(7))
    }

    @Test func countsThePauseBeforeTheFirstOpportunity() throws {
        #expect(try trace("100\n120\n").longestPause == .milliseconds(100))
    }

    @Test(arguments: ["1\r\n2\r\n", "1\n\n2", "# recorded 2016\n1\n#\n2\n", "  1\n\t2 \n", "1\n2"])
    func passesOverEmptyLinesAndRemarks(text: String) throws {
        #expect(try trace(text).content == .opportunities([1, 2]))
    }

    @Test(arguments: [
        ("", 1, "the trace is empty"), ("\n\n", 1, "the trace is empty"), ("# nothing\n", 1, "the trace is empty"),
        ("root:$6$secret\n", 1, "found other text; expected whole milliseconds"),
        ("1\nx\n", 2, "found other text; expected whole milliseconds"),
        ("1.5\n", 1, "found \"1.5\"; expected whole milliseconds"),
        ("1 2\n", 1, "found \"1 2\"; expected whole milliseconds"),
        ("-1\n", 1, "found \"-1\"; expected whole milliseconds"),
        ("4294967296\n", 1, "found \"4294967296\"; expected whole milliseconds"),
        ("# first\n\n5\n4\n", 4, "4 ms follows 5 ms; times must not decrease"),
        ("0\n0\n", 2, "the trace has no duration; its last time must be above 0"),
    ])
    func namesTheLineThatIsWrong(text: String, line: Int, reason: String) {
        #expect {
            try trace(text)
        } throws: { error in
            let malformed = error as? Trace.Malformed
            return malformed?.line == line && malformed?.reason == reason
                && malformed.map { "\($0)" } == "line \(line): \(reason)"
        }
    }
}
