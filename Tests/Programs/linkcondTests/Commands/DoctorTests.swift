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

    /// Chromium would end with "No usable sandbox!". Here in a user namespace with a limit of its own.
    @Test(.enabled(if: Kernel.isRoot, "needs root")) func saysWhatStandsInABrowsersWay() throws {
        func browsers(_ limit: Int) throws -> [Substring] {
            let inner = "echo \(limit) >/proc/sys/user/max_user_namespaces && exec \(Program.path) doctor"
            // It is root with its rights once it executes a program after its users are mapped.
            let lines = try Program.isolatedShell(
                """
                unshare --user sh -c 'until [ "$(id -u)" = 0 ]; do sleep 0.05; done; exec sh -c "\(inner)"' &
                until [ "$(readlink /proc/$!/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.05; done
                for map in uid_map gid_map; do echo 0 0 65536 >/proc/$!/$map; done
                wait $!
                """
            ).lines
            let place = try #require(lines.firstIndex { $0.contains(" browsers ") })
            return Array(lines[place...].prefix(2))
        }
        let forbidden = try browsers(0)
        #expect(forbidden[0].hasPrefix("missing  browsers") && forbidden[0].contains("--no-sandbox"))
        #expect(forbidden[1].hasSuffix("try: sudo sysctl user.max_user_namespaces=10000"))
        #expect(try browsers(100)[0].hasPrefix("ok       browsers"))
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
