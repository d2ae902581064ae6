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

        /// A busy machine ends a rule late, and none before its time.
        private func waitForNone() throws {
            #expect(try HangLimit.waits { try guardians().isEmpty })
        }

        /// Tries what has to be done within a time limit, in seconds: on a busy machine again with a longer one. `attempt`
        /// returns whether it was in time.
        private func inTime(_ limits: [Int], _ attempt: (Int) throws -> Bool) throws {
            for limit in limits where try attempt(limit) { return }
            try endInconclusively("a command took longer than \(limits.last ?? 0) s")
        }

        @Test func endsAtItsTimeAndNotBefore() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try inTime([5, 20, 60]) { limit in
                let start = now()
                try hosts.apply("LTE", "--for \(limit)s")
                let (status, count) = (try hosts.linkcond("status").output, try guardians().count)
                let isInTime = now() - start < Double(limit)
                if isInTime { #expect(status.contains("ends in ") && count == 1, "\(status), \(count) guardians") }
                try waitForNone()
                #expect(now() - start > Double(limit) - 0.1)
                #expect(try hosts.dump() == before)
                return isInTime
            }
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
            try inTime([5, 20, 60]) { limit in
                let start = now()
                try hosts.apply("LTE", "--confirm \(limit)s")
                let result = try hosts.linkcond("confirm")
                guard now() - start < Double(limit) || result.status == 0 else { return false }
                #expect(result.status == 0 && result.errors.contains("keeps \"LTE\""))
                try waitForNone()
                #expect(try hosts.linkcond("status").output.contains("LTE"))
                return true
            }
        }

        @Test func endsConfirmedRulesAtTheirTime() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try inTime([5, 20, 60]) { limit in
                let start = now()
                try hosts.apply("LTE", "--for \(limit + 2)s --confirm \(limit)s")
                let status = try hosts.linkcond("confirm").status
                guard now() - start < Double(limit) || status == 0 else { return false }
                #expect(status == 0)
                try waitForNone()
                #expect(now() - start > Double(limit) + 1.9)
                #expect(try hosts.dump() == before)
                return true
            }
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
