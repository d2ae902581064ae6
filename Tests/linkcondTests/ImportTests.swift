// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// `import` and `export` as commands; what they read and write is in ProfileFormatsTests.
@Suite struct ImportTests {
    private static let options = #"{ "up": 330, "down": 780, "rtt": 200 }"#

    @Test func printsAProfileThatValidateAccepts() throws {
        let directory = try TemporaryDirectory()
        try directory.write("office.json", Self.options)
        let outcome = try Program.run("import", "office.json", directory: directory.path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors == "note: rtt is a round trip: half of it is the delay of each direction\n")
        #expect(try Program.run("validate", "-", input: outcome.output).output == "-: office\n")
        let shown = try Program.run("show", "-", input: outcome.output).output
        #expect(shown.contains("downlink  100 ms delay, 780 kbit/s"), "\(shown)")
        #expect(shown.contains("source    office.json, in the format of throttle"), "\(shown)")
        let piped = try Program.run("import", "-", "--name", "Mine", input: Self.options)
        #expect(piped.output.contains(#""name": "Mine""#), "\(piped)")
    }

    @Test func tellsFailuresApart() throws {
        let unknown = try Program.run("import", "-", input: "hello")
        #expect(unknown.status == 64 && unknown.errors.contains("--from FORMAT, one of nlc, tcconfig"), "\(unknown)")
        let wrong = try Program.run("import", "-", input: #"{"up": -1, "down": 1, "rtt": 1}"#)
        #expect(wrong.status == 65 && wrong.output.isEmpty, "\(wrong)")
        #expect(wrong.errors == "linkcond: standard input: 1:8: $.up: \"-1\" is below 0\n")
        let ini = "[A]\nbwIn=1000\n[B C]\nbwIn=2000\n"
        let several = try Program.run("import", "-", input: ini)
        #expect(
            several.status == 64 && several.errors.contains("describes 2 links: A, B C\nlinkcond: try: --name A"),
            "\(several)"
        )
        #expect(try Program.run("import", "-", "--name", "D", input: ini).status == 66)
        #expect(try Program.run("import", "-", "--name", "b c", input: ini).output.contains("2 kbit/s"))
        #expect(try Program.run("import", "/nonexistent").status == 66)
        #expect(try Program.run("import", "-", "--from", "word", input: ini).status == 64)
        let own = try Program.run("show", "3G", "--json").output
        let again = try Program.run("import", "-", input: own)
        #expect(again.status == 64 && again.errors.contains("is a profile of linkcond already"), "\(again)")
        #expect(try Program.shell(#"printf 'a\xff' | "$LINKCOND" import -"#).status == 65)
    }

    @Test func namesARecordingByItsPath() throws {
        let directory = try TemporaryDirectory()
        try directory.write("lte.down", "1\n2\n3\n")
        let outcome = try Program.run("import", "lte.down", directory: directory.path)
        #expect(
            outcome.output.contains("\(directory.path)/lte.down") || outcome.output.contains("/lte.down"),
            "\(outcome)"
        )
        #expect(try Program.run("validate", "-", input: outcome.output).status == 0)
    }

    @Test func exportsWithFiguresChanged() throws {
        let outcome = try Program.run("export", "3G", "--uplink", "delay=1 ms", "--to", "toxiproxy")
        #expect(outcome.status == 0 && outcome.output.contains(#""latency": 1,"#), "\(outcome)")
        let back = try Program.run("import", "-", input: outcome.output)
        #expect(try Program.run("show", "-", input: back.output).output.contains("uplink    1 ms delay, 328 kbit/s"))
        #expect(
            outcome.errors.contains("note: the rate of the uplink, 330 kbit/s, is rounded to 41 kB/s"),
            "\(outcome)"
        )
        #expect(try Program.run("export", "3G", "--to", "tc").status == 64)
        #expect(try Program.run("export", "3G", "--to", "pumba", "-i", "lo").status == 64)
        #expect(try Program.run("export", "nothing", "--to", "pumba").status == 66)
    }

    @Test(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"))
    func exportsTheCommandsThatShowPrints() throws {
        let exported = try Program.isolated("export", "Slow Net", "--to", "tc", "-i", "lo")
        #expect(exported.status == 0 && !exported.output.isEmpty, "\(exported)")
        // An alias has the time and the process.
        let lines = { (outcome: CommandResult) in outcome.lines.filter { !$0.contains(" alias ") } }
        #expect(try lines(exported) == lines(Program.isolated("show", "Slow Net", "--tc", "-i", "lo")))
    }
}
