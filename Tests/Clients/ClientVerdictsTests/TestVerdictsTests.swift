// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// What tests inside of a run were told, in the run's record.
@Suite struct TestVerdictsTests {
    private func test(_ name: String?, at begin: Int64, _ verdicts: [(String, Verdict)]) -> TestVerdicts {
        TestVerdicts(
            name,
            from: Instant(nanoseconds: begin),
            to: Instant(nanoseconds: begin + 5),
            verdicts.map {
                JudgedExpectation(expectation: $0, verdict: $1, finding: "so", packets: [], remedy: nil)
            }
        )
    }

    private func record(_ tests: [TestVerdicts]) -> RunRecord {
        let time = Instant(nanoseconds: 9)
        let events = tests.flatMap { RunEvent(time, .judged($0)).line }
        return RunRecord(events: events, started: time, ended: time, outcome: .exited(1))
    }

    @Test func keepsWhatTestsWereTold() {
        let tests = [
            test("a", at: 1, [("at most 1 connection", .fail), ("recovers within 1 s of 'x'", .inconclusive)]),
            test(nil, at: 1, [("at most 1 connection", .pass)]), test(nil, at: 1, [("at most 1 connection", .fail)]),
        ]
        let record = record(tests)
        #expect(record.tests == tests && record.testCount == 3)
        #expect(record.tests.map(\.verdict) == [.fail, .pass, .fail])
    }

    /// pytest's plugin asks again without the connections of a pool, where one was left open.
    @Test func lastAnswerToOneTestCounts() {
        let (open, count) = ("leaves no connection open", "at most 1 connection")
        let record = record([
            test("a", at: 1, [(open, .fail), (count, .pass)]), test("a", at: 1, [(open, .pass)]),
            // The same test once more, as with pytest-rerunfailures.
            test("a", at: 3, [(open, .fail)]),
        ])
        #expect(record.tests.map { $0.results.map(\.verdict) } == [[.pass, .pass], [.fail]] && record.testCount == 2)
    }

    @Test func keepsTheFirstOfManyTestsAndCountsAll() {
        let record = record((0..<1200).map { test("\($0)", at: $0, [("exits with 0", .pass)]) })
        #expect(record.tests.count == 1000 && record.tests.last?.name == "999" && record.testCount == 1200)
    }
}
