// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// `linkcond off` and `on`, and `reset --all`.
    @Suite struct Off {
        @Test func onRestoresWhatOffRemoved() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try hosts.apply("LTE")
            try hosts.apply("Black Hole", "--port 443")
            let conditioned = try rules(hosts)
            let off = try hosts.linkcond("off")
            #expect(off.status == 0 && off.errors.contains("suspended \"LTE\""), "\(off)")
            #expect(try hosts.dump() == before)
            let status = try hosts.linkcond("status")
            let lines = ["uplink0: LTE (off)", "uplink0: Black Hole (off, traffic on port 443)"]
            #expect(status.output == lines.map { "\($0)\n" }.joined(), "\(status)")
            #expect(status.errors.contains("linkcond on"))
            let on = try hosts.linkcond("on")
            #expect(on.status == 0 && on.errors.contains("resumed \"Black Hole\""), "\(on)")
            #expect(try rules(hosts) == conditioned)
            #expect(try hosts.linkcond("on").errors == "nothing is suspended\n")
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before)
        }

        /// Only what an interface had before the rule counts: a hook that another program adds later stays.
        @Test func leavesTheHookThatWasAddedWhileItWasOff() throws {
            let hosts = try Hosts()
            try hosts.apply("LTE")
            #expect(try hosts.linkcond("off").status == 0)
            try Shell.check("tc -n \(hosts.near) qdisc add dev \(hosts.interface) clsact")
            let before = try hosts.dump()
            #expect(try hosts.linkcond("on").status == 0)
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before)
        }

        @Test func staysOffOnceItsTimeIsOver() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            for limit in [2, 10, 60] as [UInt32] {
                let start = now()
                try hosts.apply("LTE", "--for \(limit)s")
                let status = try hosts.linkcond("off").status
                // On a busy machine its time may be over already: then once more with a longer one.
                guard status == 0 || now() - start < Double(limit) else { continue }
                #expect(status == 0)
                sleep(limit + 2)
                #expect(try hosts.linkcond("on").errors == "nothing is suspended\n")
                #expect(try hosts.dump() == before)
                return
            }
            try endInconclusively("a command took a minute")
        }

        @Test func endsWithAResetOrTheSameRule() throws {
            let hosts = try Hosts()
            try hosts.apply("LTE")
            #expect(try hosts.linkcond("off").status == 0)
            try hosts.apply("3G")
            #expect(try hosts.linkcond("status").output.contains("3G"))
            #expect(!(try hosts.linkcond("status").output.contains("LTE")))
            #expect(try hosts.linkcond("off").status == 0)
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.linkcond("on").errors == "nothing is suspended\n")
        }

        @Test func resetReachesEveryNetworkOfTheJournal() throws {
            let (one, two) = (try Hosts(), try Hosts())
            let before = (try one.dump(), try two.dump())
            try one.apply("LTE")
            try two.apply("3G")
            let reset = try Shell.linkcond("reset --all")
            #expect(reset.status == 0, "\(reset)")
            #expect(reset.errors.contains("\(one.near): removed \"LTE\""))
            #expect(reset.errors.contains("\(two.near): removed \"3G\""))
            #expect(try one.dump() == before.0)
            #expect(try two.dump() == before.1)
        }

        /// Profile and traffic of each rule.
        private func rules(_ hosts: Hosts) throws -> [String] {
            try hosts.linkcond("status").output.split(separator: "\n").filter { $0.hasPrefix("uplink0") }
                .map { String($0.prefix { $0 != "(" }) }.sorted()
        }
    }
}
