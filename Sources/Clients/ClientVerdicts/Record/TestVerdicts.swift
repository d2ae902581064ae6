// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import LinkProfiles

/// The verdicts that a test inside the run asked for. They are not the run's: how the test's runner exits is.
package struct TestVerdicts: Hashable, Sendable {
    /// A record keeps those of so many tests.
    package static let limit = 1000

    /// The test's name; nil if it gave none.
    package var name: String?
    /// The part of the run that was judged.
    package var begin: Instant
    package var end: Instant
    /// The verdict on each expectation, in their order.
    package var results: [JudgedExpectation]

    package init(_ name: String?, from begin: Instant, to end: Instant, _ results: [JudgedExpectation]) {
        (self.name, self.begin, self.end, self.results) = (name, begin, end, results)
    }

    /// The worst of them.
    package var verdict: Verdict { .worst(of: results.map(\.verdict)) }
}

extension RunRecord {
    /// Adds what a test was told. A test that asks again about the same part, as pytest's plugin does when it knows more of
    /// a connection, is one test: the last verdict on each expectation counts.
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
