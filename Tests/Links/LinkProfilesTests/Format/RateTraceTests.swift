// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@Suite struct RateTraceTests {
    private func trace(_ text: String) throws(Trace.Malformed) -> Trace {
        try Trace(text, format: .secondsMbit)
    }

    @Test func readsARateFromEachTimeToTheNext() throws {
        let trace = try trace("0 1.5\n0.5 0.25\n2 9\n")
        guard case .rates(let steps) = trace.content else {
            Issue.record("no rates")
            return
        }
        #expect(steps.map(\.at) == [.zero, .milliseconds(500), .seconds(2)])
        #expect(steps.map(\.rate.bitsPerSecond) == [1_500_000, 250_000, 9_000_000])
        #expect(trace.length == .seconds(2))
        // 1.5 Mbit/s for 0.5 s and 0.25 Mbit/s for 1.5 s; the last line only ends it.
        #expect(trace.meanRate == BitRate(bitsPerSecond: 562_500))
        #expect(trace.longestPause == .zero)
    }

    @Test func joinsPausesThatFollowEachOther() throws {
        let trace = try trace("0 5\n1 0\n2 0\n4 5\n5 0\n6 5\n")
        #expect(trace.longestPause == .seconds(3))
    }

    @Test func countsAPauseUpToTheEnd() throws {
        #expect(try trace("0 5\n1 0\n9 0\n").longestPause == .seconds(8))
    }

    @Test(arguments: ["0\t1\r\n1\t2\r\n", "# seconds Mbit/s\n0 1\n\n1 2", "  0   1  \n1 2\n", "0.0 1e0\n1.0 2.0"])
    func passesOverEmptyLinesRemarksAndSpaces(text: String) throws {
        guard case .rates(let steps) = try trace(text).content else {
            Issue.record("no rates")
            return
        }
        #expect(steps.map(\.rate.bitsPerSecond) == [1_000_000, 2_000_000])
    }

    @Test(arguments: [
        ("", 1, "the trace is empty"), ("0 1\n1\n", 2, "found \"1\"; expected seconds and Mbit/s"),
        ("0 1 2\n", 1, "found \"0 1 2\"; expected seconds and Mbit/s"),
        ("0 x\n", 1, "found other text; expected seconds and Mbit/s"),
        ("0 -1\n", 1, "found \"0 -1\"; expected seconds and Mbit/s"),
        ("-1 1\n", 1, "found \"-1 1\"; expected seconds and Mbit/s"),
        ("0 nan\n", 1, "found other text; expected seconds and Mbit/s"),
        ("0 inf\n", 1, "found other text; expected seconds and Mbit/s"),
        ("0 1e8\n", 1, "found \"0 1e8\"; expected seconds and Mbit/s"),
        ("0,1\n", 1, "found \"0,1\"; expected seconds and Mbit/s"),
        ("0 1\n\n0 2\n", 3, "0.0 s is not after the previous line; times must increase"),
        ("5 1\n4 2\n", 2, "4.0 s is not after the previous line; times must increase"),
    ])
    func namesTheLineThatIsWrong(text: String, line: Int, reason: String) {
        #expect {
            try trace(text)
        } throws: { error in
            let malformed = error as? Trace.Malformed
            return malformed?.line == line && malformed?.reason == reason
        }
    }
}
