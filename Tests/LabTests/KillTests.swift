// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkConditioning
import LinkProfiles
import TestKit
import Testing

extension LabTests {
    /// Nothing is left, whichever process is killed, at whatever moment.
    @Suite struct Kill {
        /// Everything that a killed deed may have left is repaired by the next command: what holds then is all of one
        /// profile, or nothing, and a reset leaves the interface as it was.
        ///
        /// - Returns: whether there was anything to repair.
        @discardableResult
        private func settle(_ hosts: Hosts, _ before: String, _ words: String) throws -> Bool {
            let status = try hosts.linkcond("status --json")
            #expect(status.status == 0, "\(words): \(status.errors)")
            let report = try #require(try StatusReport(json: JSON(utf8: status.output.utf8)), "\(words)")
            let rules = report.devices.flatMap(\.rules)
            #expect(report.leftovers.isEmpty && report.devices.flatMap(\.leftovers).isEmpty, "\(words)")
            #expect(report.devices.flatMap(\.danglingFilters).isEmpty, "\(words)")
            for rule in rules {
                let lanes = ["Slow Net": 3, "LTE": 2][rule.profile ?? ""]
                #expect(rule.lanes.count == lanes, "\(words): half of \(rule.profile ?? "")")
                if let guardian = rule.ending?.guardian { #expect(kill(guardian, 0) == 0, "\(words)") }
            }
            if !rules.isEmpty {
                let reset = try hosts.linkcond("reset")
                #expect(reset.status == 0, "\(words): \(reset.errors)")
            }
            #expect(try hosts.dump() == before, "\(words)")
            return status.errors.contains("repaired")
        }

        @Test func leavesNothingAtAnyMoment() throws {
            let hosts = try Hosts()
            try hosts.settleStrangers()
            let before = try hosts.dump()
            let spans = try Deed.lasting.map { try $0.span(on: hosts) }
            var repaired = 0
            for trial in Soak.trials(40, long: 300) {
                let deed = Deed.lasting[trial % Deed.lasting.count]
                let victim = deed.hasSecond ? Victim.allCases[trial / Deed.lasting.count % 3] : .owner
                let moment = Moment.random(in: spans[trial % spans.count])
                try deed.perform(on: hosts, killing: victim, at: moment)
                if try settle(hosts, before, "trial \(trial): \(deed), \(victim), \(moment)") { repaired += 1 }
            }
            print("undisturbed, in seconds: \(spans)")
            print("of \(Soak.number(40, long: 300)) that were killed, \(repaired) left something to be repaired")
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func leavesNothingAtASignal(signal: Int32) throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let spans = try Deed.lasting.map { try $0.span(on: hosts) }
            for trial in Soak.trials(6, long: 60) {
                let deed = Deed.lasting[trial % Deed.lasting.count]
                let moment = Moment.random(in: spans[trial % spans.count])
                try deed.perform(on: hosts, killing: .owner, with: signal, at: moment)
                try settle(hosts, before, "trial \(trial): \(deed), signal \(signal), \(moment)")
            }
        }

        /// The guardian runs before the first change, and repairs what its parent left: no command is needed.
        @Test func guardianRepairsWhatItsParentLeft() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let span = try Deed.applyFor.span(on: hosts)
            for trial in Soak.trials(5, long: 50) {
                let moment = Moment.random(in: span)
                try Deed.applyForASecond.perform(on: hosts, killing: .owner, at: moment)
                usleep(1_500_000)
                #expect(try hosts.dump() == before, "trial \(trial): \(moment)")
            }
        }
    }
}
