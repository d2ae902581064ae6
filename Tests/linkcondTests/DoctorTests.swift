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

    /// Its process would keep root's user ID.
    @Test(.enabled(if: Kernel.isRoot, "needs root")) func saysThatThePumpCannotChangeItsUser() throws {
        let lines = try Program.isolatedShell("setpriv --bounding-set=-setgid \(Program.path) doctor").lines
        let place = try #require(lines.firstIndex { $0.hasPrefix("missing  pump's user") })
        #expect(lines[place].contains("CAP_SETGID") && lines[place + 1].contains("--cap-add SETUID --cap-add SETGID"))
        #expect(try !Program.isolated("doctor").output.contains("pump's user"))
    }

    /// The kernel's own setting lets no group send echo requests, which is what the uplink of a user's sandbox does.
    @Test(.enabled(if: Kernel.isRoot && Kernel.hasUplink, "needs root, to become nobody, and an uplink's program"))
    func saysWhatToTypeWherePingsFail() throws {
        let directory = try TemporaryDirectory()
        try Program.copy(to: "\(directory.path)/linkcond")
        func findings(range: String) throws -> [Substring] {
            let outcome = try Program.isolatedShell(
                """
                sysctl -qw net.ipv4.ping_group_range='\(range)' || exit 99
                setpriv --reuid 65534 --regid 65534 --clear-groups \(directory.path)/linkcond doctor
                """
            )
            return outcome.lines
        }
        let missing = try findings(range: "1 0")
        let place = try #require(missing.firstIndex { $0.hasPrefix("missing  pings") })
        #expect(missing[place].contains("net.ipv4.ping_group_range leaves your group out"))
        #expect(missing[place + 1].hasSuffix("try: sudo sysctl net.ipv4.ping_group_range='0 2147483647'"))
        #expect(try findings(range: "0 2147483647").contains { $0.hasPrefix("ok       pings") })
    }
}
