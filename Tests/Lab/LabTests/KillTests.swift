// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkConditioning
import LinkProfiles
import TestKit
import Testing

extension LabTests {
    /// Nothing is left, whichever process is killed, at whatever moment.
    @Suite struct Kill {
        /// Checks that the next command repairs whatever a killed command has left: the rules are then complete or
        /// gone, and a reset leaves the interface as it was.
        ///
        /// - Returns: whether there was anything to repair.
        @discardableResult
        private func checkRepair(_ hosts: Hosts, _ before: String, _ trial: String) throws -> Bool {
            let status = try hosts.linkcond("status --json")
            #expect(status.status == 0, "\(trial): \(status.errors)")
            let report = try #require(try StatusReport(json: JSON(utf8: status.output.utf8)), "\(trial)")
            let rules = report.devices.flatMap(\.rules)
            #expect(report.leftovers.isEmpty && report.devices.flatMap(\.leftovers).isEmpty, "\(trial)")
            #expect(report.devices.flatMap(\.danglingFilters).isEmpty, "\(trial)")
            for rule in rules {
                let lanes = ["Slow Net": 3, "LTE": 2][rule.profile ?? ""]
                #expect(rule.lanes.count == lanes, "\(trial): half of \(rule.profile ?? "")")
                if let guardian = rule.ending?.guardian { #expect(kill(guardian, 0) == 0, "\(trial)") }
            }
            if !rules.isEmpty {
                let reset = try hosts.linkcond("reset")
                #expect(reset.status == 0, "\(trial): \(reset.errors)")
            }
            #expect(try hosts.dump() == before, "\(trial)")
            return status.errors.contains("repaired")
        }

        @Test func leavesNothingAtAnyMoment() throws {
            let hosts = try Hosts()
            try hosts.addForeignObjects()
            let before = try hosts.dump()
            let spans = try InterfaceCommand.lasting.map { try $0.span(on: hosts) }
            var repaired = 0
            let trials = Extent.choose(once: 8, all: 40, soak: 300)
            for trial in 0..<trials {
                let command = InterfaceCommand.lasting[trial % InterfaceCommand.lasting.count]
                let round = trial / InterfaceCommand.lasting.count
                let target = command.hasChild ? KillTarget.allCases[round % 3] : .parent
                let moment = KillTime.random(in: spans[trial % spans.count])
                try command.perform(on: hosts, killing: target, at: moment)
                if try checkRepair(hosts, before, "trial \(trial): \(command), \(target), \(moment)") { repaired += 1 }
            }
            print("not killed, in seconds: \(spans)")
            print("of \(trials) that were killed, \(repaired) left something to be repaired")
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func leavesNothingAtASignal(signal: Int32) throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let spans = try InterfaceCommand.lasting.map { try $0.span(on: hosts) }
            for trial in 0..<Extent.choose(once: 2, all: 6, soak: 60) {
                let command = InterfaceCommand.lasting[trial % InterfaceCommand.lasting.count]
                let moment = KillTime.random(in: spans[trial % spans.count])
                try command.perform(on: hosts, killing: .parent, with: signal, at: moment)
                try checkRepair(hosts, before, "trial \(trial): \(command), signal \(signal), \(moment)")
            }
        }

        /// The guardian runs before the first change, and repairs what its parent left: no command is needed.
        @Test func guardianRepairsWhatItsParentLeft() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let span = try InterfaceCommand.applyFor.span(on: hosts)
            for trial in 0..<Extent.choose(once: 2, all: 5, soak: 50) {
                let moment = KillTime.random(in: span)
                try InterfaceCommand.applyForASecond.perform(on: hosts, killing: .parent, at: moment)
                #expect(try HangLimit.waits { try hosts.dump() == before }, "trial \(trial): \(moment)")
                // Nothing comes later.
                usleep(1_500_000)
                #expect(try hosts.dump() == before, "trial \(trial): \(moment)")
            }
        }
    }
}
