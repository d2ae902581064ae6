// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The verdict on one expectation, as in reports and on the control socket, with the expectation as text.
package struct JudgedExpectation: Hashable, Sendable {
    /// The expectation, as text.
    package var expectation: String
    package var verdict: Verdict
    /// The observation, in one sentence.
    package var finding: String
    /// The numbers in the capture of the packets that show the finding.
    package var packets: [Int]
    /// The usual remedy; nil unless the verdict is a failure.
    package var remedy: String?

    package init(expectation: String, verdict: Verdict, finding: String, packets: [Int], remedy: String?) {
        (self.expectation, self.verdict, self.finding) = (expectation, verdict, finding)
        (self.packets, self.remedy) = (packets, remedy)
    }

    package init(_ judgement: Judgement) {
        self.init(
            expectation: judgement.expectation.description,
            verdict: judgement.verdict,
            finding: judgement.finding,
            packets: judgement.packets,
            remedy: judgement.remedy
        )
    }
}

extension JudgedExpectation: JSONObject {
    package static let blank = JudgedExpectation(
        expectation: "",
        verdict: .skipped,
        finding: "",
        packets: [],
        remedy: nil
    )

    /// Describes the members in report.json.
    package mutating func describe(_ members: inout JSONMembers) {
        members.required("expectation", &expectation)
        members.required("verdict", &verdict)
        members.required("finding", &finding)
        members.required("packets", &packets)
        members.lenient("remedy", &remedy)
    }
}
