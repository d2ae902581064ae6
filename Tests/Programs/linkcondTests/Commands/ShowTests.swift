// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@Suite struct ShowTests {
    @Test func showsPopulationsByTheirShares() throws {
        let shown = try Program.run("show", "uk-mobile-2024")
        #expect(shown.status == 0 && shown.output.hasPrefix("UK Mobile 2024\n  SHARE   NETWORK\n  74.1 %  LTE\n"))
        #expect(shown.output.contains("Mobile Matters 2024") && shown.output.hasSuffix("from      built in\n"))
        let json = try Program.run("show", "uk-mobile-2024", "--json")
        #expect(json.output.contains(#"{ "profile": "LTE", "share": "74.1 %" }"#))
    }

    @Test func saysAProfileInWords() throws {
        let outcome = try Program.run("show", "Slow Net")
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                Slow Net
                  Very limited bandwidth
                  downlink  100 ms delay, 32 kbit/s
                  uplink    100 ms delay, 32 kbit/s
                  dns       200 ms more for packets to port 53
                  source    useyourloaf.com, Network Link Conditioner, 2012
                  from      built in

                """
        )
    }

    @Test func saysWhatIsUntouched() throws {
        let output = try Program.run("show", "Black Hole").output
        #expect(output.contains("downlink  100 % lost"))
        #expect(output.contains("uplink    untouched"))
    }

    @Test func printsJSONThatValidateAccepts() throws {
        let list = try Program.run("list", "--json").output
        let profiles = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        let names = profiles.compactMap { $0["name"] as? String }
        // A shell loop, because a process for each would take its time.
        let line = names.map { "\"$LINKCOND\" show '\($0)' --json > one.json && \"$LINKCOND\" validate one.json" }
        let directory = try TemporaryDirectory()
        let outcome = try Program.shell("cd \(directory.path); set -e\n" + line.joined(separator: "\n"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.map(String.init) == names.map { "one.json: \($0)" })
    }

    @Test func printsJSONThatComesBackTheSame() throws {
        let json = try Program.run("show", "Nasty Net", "--json").output
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect((object["uplink"] as? [String: Any])?["loss"] as? String == "90 %")
        #expect(try Program.run("show", "-", "--json", input: json).output == json)
        let checked = try Program.run("validate", "-", input: json)
        #expect(checked.status == 0)
        #expect(checked.output == "-: Nasty Net\n")
    }

    @Test(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"))
    func printsTheCommandsThatDoTheSame() throws {
        let outcome = try Program.isolated("show", "Slow Net", "--tc", "-i", "lo")
        #expect(outcome.status == 0)
        #expect(outcome.lines.first == "ip link add lc1r1n txqueuelen 1000 type ifb")
        #expect(outcome.lines.contains("tc qdisc add dev lo clsact"))
        #expect(outcome.lines.allSatisfy { $0.hasPrefix("ip ") || $0.hasPrefix("tc ") })
    }
}
