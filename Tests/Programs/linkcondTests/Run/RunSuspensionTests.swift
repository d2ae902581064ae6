// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// off, on and reset inside a run.
@Suite(.enabled(if: Kernel.canPump && Kernel.hasSandboxes, "needs namespaces and /dev/net/tun"))
struct RunSuspensionTests {
    private func run(_ script: String, options: [String] = []) throws -> CommandResult {
        let program = #"linkcond() { "$0" "$@"; }; "#
        let command = try Installation(for: .tester)
            .wrapping(["sh", "-c", program + script, Program.path], options: options)
        return try Program.start(command)
    }

    @Test func takeTheConditionsOutAndBringThemBack() throws {
        let outcome = try run(
            "linkcond off; linkcond status; linkcond on; linkcond status | head -n 1; linkcond on",
            options: ["3G"]
        )
        try outcome.requireSuccess()
        #expect(outcome.lines.contains { $0.hasPrefix("lo: 3G (off") }, "\(outcome.output)")
        #expect(outcome.lines.contains { $0.hasPrefix("sandbox: no conditions") }, "\(outcome.output)")
        #expect(outcome.lines.contains { $0.hasPrefix("sandbox: 3G") }, "\(outcome.output)")
        #expect(outcome.errors.contains(#"suspended "3G" in this sandbox; "linkcond on" resumes it"#))
        #expect(outcome.errors.contains(#"resumed "3G" in this sandbox"#))
        #expect(outcome.errors.contains("nothing is suspended"))
    }

    /// A ping of loopback takes what the profile delays it, or nothing.
    @Test func holdWhileAScenarioGoesOn() throws {
        let files = try TemporaryDirectory()
        try files.write(
            "scenario.json",
            #"""
            { "name": "x", "profile": { "name": "A", "uplink": { "delay": "50 ms" } }, "steps": [
              { "label": "later", "after": { "mark": "m" },
                "profile": { "name": "B", "uplink": { "delay": "200 ms" } } }] }
            """#
        )
        let ask = #"curl -s --unix-socket "$LINKCOND_SOCKET""#
        let outcome = try run(
            "linkcond off; linkcond mark m; \(ask) http://x/v1/conditions; linkcond on; \(ask) http://x/v1/conditions",
            options: ["--scenario", "\(files.path)/scenario.json"]
        )
        try outcome.requireSuccess()
        #expect(outcome.output.components(separatedBy: #""name": "B""#).count == 3, "\(outcome.output)")
        #expect(outcome.errors.contains(#"resumed "B" in this sandbox"#), "\(outcome.errors)")
    }

    @Test func resetLeavesNoConditions() throws {
        let outcome = try run("linkcond reset && linkcond status | head -n 1; linkcond reset --rule 1", options: ["3G"])
        #expect(outcome.lines.first?.hasPrefix("sandbox: no conditions") == true, "\(outcome.output)")
        #expect(outcome.errors.contains("this sandbox has no conditions"))
        #expect(outcome.status == 69, "\(outcome.errors)")
    }
}
