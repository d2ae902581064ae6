// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import LinkProfiles

/// The verdicts that a test inside the run requested. They do not decide the run's verdict; the exit status of the test
/// runner does.
package struct TestVerdicts: Hashable, Sendable {
    /// The number of tests whose verdicts a record keeps.
    package static let limit = 1000

    /// The test's name; nil if it gave none.
    package var name: String?
    /// The part of the run that was judged.
    package var begin: Instant
    package var end: Instant
    /// The verdict on each expectation, in the order of the expectations.
    package var results: [JudgedExpectation]

    package init(_ name: String?, from begin: Instant, to end: Instant, _ results: [JudgedExpectation]) {
        (self.name, self.begin, self.end, self.results) = (name, begin, end, results)
    }

    /// The worst verdict of the test.
    package var verdict: Verdict { .worst(of: results.map(\.verdict)) }
}

extension RunRecord {
    /// Adds the verdicts of a test. A test that asks several times about the same part, as pytest's plugin does when it
    /// knows more about a connection, counts once, with the last verdict on each expectation.
    mutating func add(_ test: TestVerdicts) {
        let earlier = test.name == nil ? nil : tests.lastIndex { $0.name == test.name && $0.begin == test.begin }
        guard let earlier else {
            testCount += 1
            if tests.count < TestVerdicts.limit { tests.append(test) }
            return
        }
        tests[earlier].end = test.end
        for result in test.results {
            let index = tests[earlier].results.firstIndex { $0.expectation == result.expectation }
            if let index { tests[earlier].results[index] = result } else { tests[earlier].results.append(result) }
        }
    }
}

extension TestVerdicts: JSONObject {
    package static let blank = TestVerdicts(nil, from: .zero, to: .zero, [])

    package mutating func describe(_ members: inout JSONMembers) {
        members.lenient("test", &name)
        members.required("begin", &begin)
        members.required("end", &end)
        members.required("expectations", &results)
    }
}
