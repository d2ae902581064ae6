// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The verdict on one expectation as reports and the control socket have it: its expectation is text.
package struct JudgedExpectation: Hashable, Sendable {
    /// The expectation, as text.
    package var expectation: String
    package var verdict: Verdict
    /// The finding: what was seen.
    package var finding: String
    /// The packets that show it, as numbers in the capture.
    package var packets: [Int]
    /// The usual remedy; nil if nothing failed.
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

    /// As report.json holds it.
    package mutating func describe(_ members: inout JSONMembers) {
        members.required("expectation", &expectation)
        members.required("verdict", &verdict)
        members.required("finding", &finding)
        members.required("packets", &packets)
        members.lenient("remedy", &remedy)
    }
}
