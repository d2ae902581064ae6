// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"))
struct DoctorTests {
    @Test func saysWhichEnginesCanBeUsed() throws {
        let outcome = try Program.isolated("doctor")
        #expect(outcome.status == (Kernel.hasNetem || Kernel.canPump ? 0 : 69))
        #expect(
            outcome.lines.contains {
                $0.contains("engine userspace") && $0.hasPrefix(Kernel.canPump ? "ok" : "missing")
            }
        )
        #expect(outcome.lines.contains { $0.contains("netem") && $0.hasPrefix(Kernel.hasNetem ? "ok" : "missing") })
        #expect(outcome.output.contains("try: ") == !Kernel.hasNetem)
    }

    @Test func printsJSON() throws {
        let outcome = try Program.isolated("doctor", "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(object["netem"] as? Bool == Kernel.hasNetem)
        #expect(object["userspace"] as? Bool == Kernel.canPump)
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.allSatisfy { $0["subject"] is String && $0["ok"] is Bool && $0["detail"] is String })
        #expect(
            findings.allSatisfy { $0["ok"] as? Bool == false || $0["remedy"] == nil },
            "nothing to do where all is well"
        )
    }
}
