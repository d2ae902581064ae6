// SPDX-License-Identifier: Apache-2.0

@testable import ClientTraffic
@testable import ClientVerdicts

extension FuzzTarget {
    private static let expectations = ClientExpectation.examples.compactMap { try? ClientExpectation(parsing: $0) }

    /// Judges a client by all that can be expected: no traffic and no record of a run may end the judge.
    static func judge(_ traffic: ObservedTraffic, _ record: RunRecord? = nil) {
        let judge = ClientJudge(JudgedTraffic(traffic, of: record ?? run), record ?? run)
        for expectation in expectations {
            require(!judge.judge(expectation).finding.isEmpty, "a verdict on '\(expectation)' without words")
        }
    }

    /// A run of a second in which all labels of the examples began.
    private static let run: RunRecord = {
        let at = { Instant(nanoseconds: $0 * 1_000_000) }
        var record = RunRecord(begin: at(0), end: at(1000), outcome: .exited(0))
        record.labels = expectations.compactMap(\.label).map { RunRecord.Label($0, .step, from: at(2), to: at(900)) }
        return record
    }()
}
