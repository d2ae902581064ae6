// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// Conditions with a time limit.
    @Suite struct Guardian {
        private func guardians() throws -> [pid_t] {
            try Shell.run("pgrep -x lc-guardian").output.split(separator: "\n").compactMap { pid_t($0) }
        }

        /// Longer than any limit here: a busy machine ends a rule late, and none before its time.
        private func waitForNone() throws {
            let deadline = now() + 15
            while now() < deadline, try !guardians().isEmpty { usleep(50_000) }
            #expect(try guardians().isEmpty)
        }

        @Test func endsAtItsTimeAndNotBefore() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let start = now()
            try hosts.apply("LTE", "--for 5s")
            #expect(try hosts.linkcond("status").output.contains("ends in "))
            #expect(try guardians().count == 1)
            try waitForNone()
            #expect(now() - start > 4.9)
            #expect(try hosts.dump() == before)
        }

        @Test func endsUnconfirmedRules() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try hosts.apply("LTE", "--confirm 2s")
            try waitForNone()
            #expect(try hosts.dump() == before)
            #expect(try hosts.linkcond("confirm").status == 66)
        }

        @Test func keepsConfirmedRules() throws {
            let hosts = try Hosts()
            try hosts.apply("LTE", "--confirm 5s")
            let result = try hosts.linkcond("confirm")
            #expect(result.status == 0 && result.errors.contains("keeps \"LTE\""))
            try waitForNone()
            #expect(try hosts.linkcond("status").output.contains("LTE"))
        }

        @Test func endsConfirmedRulesAtTheirTime() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try hosts.apply("LTE", "--for 7s --confirm 5s")
            #expect(try hosts.linkcond("confirm").status == 0)
            try waitForNone()
            #expect(try hosts.dump() == before)
        }

        /// Ctrl-C and a hangup signal every process of the terminal.
        @Test(arguments: [SIGINT, SIGHUP, SIGQUIT])
        func survivesTerminalSignals(signal: Int32) throws {
            let hosts = try Hosts()
            try hosts.apply("LTE", "--for 1h")
            for guardian in try guardians() { kill(guardian, signal) }
            usleep(200_000)
            #expect(try guardians().count == 1)
            #expect(try hosts.linkcond("status").output.contains("LTE"))
            for guardian in try guardians() { kill(guardian, SIGTERM) }
            try waitForNone()
            #expect(try hosts.linkcond("status").errors == "nothing is conditioned\n")
        }

        @Test func endsAtOnceWhenAskedTo() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try hosts.apply("LTE", "--for 1h")
            for guardian in try guardians() { kill(guardian, SIGTERM) }
            try waitForNone()
            #expect(try hosts.dump() == before)
        }

        @Test func nextCommandEndsTheConditionsOfAKilledOne() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try hosts.apply("LTE", "--for 1h")
            for guardian in try guardians() { kill(guardian, SIGKILL) }
            let status = try hosts.linkcond("status")
            #expect(status.errors.contains(/guardian process [0-9]+ is gone/))
            #expect(status.errors.split(separator: "\n").count { $0.contains("repaired") } == 1)
            #expect(try hosts.dump() == before)
        }

        @Test func endsWhenItsRuleIsReplacedOrReset() throws {
            let hosts = try Hosts()
            try hosts.apply("LTE", "--for 1h")
            #expect(try hosts.linkcond("switch 3G").status == 0)
            #expect(try guardians().count == 1)
            try hosts.apply("Wi-Fi")
            try waitForNone()
            #expect(try hosts.linkcond("status").output.contains("Wi-Fi"))
            try hosts.apply("LTE", "--for 1h")
            #expect(try hosts.linkcond("reset").status == 0)
            try waitForNone()
        }
    }
}
