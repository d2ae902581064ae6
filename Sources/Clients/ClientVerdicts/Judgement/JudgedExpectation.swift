// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The verdict on one expectation as reports and the control socket have it: its expectation is text.
package struct JudgedExpectation: Hashable, Sendable {
    /// The expectation, as text.
    package var expectation: String
    package var verdict: Verdict
    /// What was seen.
    package var finding: String
    /// The packets that show it, as numbers in the capture.
    package var packets: [Int]
    /// What usually helps; nil if nothing failed.
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

extension JudgedExpectation: JSONConvertible {
    /// The verdict as report.json holds it.
    package var json: JSON {
        JSON(
            ("expectation", .text(expectation)),
            ("verdict", .text(verdict.rawValue)),
            ("finding", .text(finding)),
            ("packets", packets.json),
            ("remedy", .text(remedy))
        )
    }

    package init?(json: JSON) {
        guard let expectation: String = json.required("expectation"),
            let verdict = json.required("verdict").flatMap({ (name: String) in Verdict(rawValue: name) }),
            let finding: String = json.required("finding"), let packets: [Int] = json.required("packets")
        else { return nil }
        self.init(
            expectation: expectation,
            verdict: verdict,
            finding: finding,
            packets: packets,
            remedy: json.required("remedy")
        )
    }
}
