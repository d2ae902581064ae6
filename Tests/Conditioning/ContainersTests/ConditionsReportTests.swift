// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkRules
import Testing

@testable import Containers

/// What a process in a container's network tells its parent.
@Suite struct ConditionsReportTests {
    @Test(
        arguments: [
            (.applied("eth0", ["n"]), #"{ "is": "applied", "interface": "eth0", "notes": ["n"] }"#),
            (.removed([]), #"{ "is": "removed", "notes": [] }"#),
            (.failed("no", nil), #"{ "is": "failed", "reason": "no" }"#),
            (.failed("no", Remedy(.reset)), #"{ "is": "failed", "reason": "no", "remedy": "reset" }"#),
            (.note("t"), #"{ "is": "note", "text": "t" }"#),
        ] as [(ConditionsProcess.Report, String)]
    )
    func readsWhatItWrites(report: ConditionsProcess.Report, line: String) {
        #expect(report.json.line == line)
        #expect(ConditionsProcess.Report(json: report.json) == report)
    }
}
