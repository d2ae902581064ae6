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
        #expect(outcome.errors == "linkcond: note: rtt is a round trip: half of it is the delay of each direction\n")
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
        #expect(try lines(exported) == lines(Program.isolated("show", "Slow Net", "--tc", "-v", "-i", "lo")))
    }

    /// 40 answers after 50 ms, of which every tenth is missing.
    private static let log =
        "PING a.test (192.0.2.1) 56(84) bytes of data.\n"
        + (1...40).filter { $0 % 10 != 5 }
        .map { "64 bytes from a.test (192.0.2.1): icmp_seq=\($0) ttl=64 time=50.\($0 % 3) ms\n" }.joined()

    @Test func fitsAProfileToALogOfPing() throws {
        let directory = try TemporaryDirectory()
        try directory.write("office.txt", Self.log)
        let outcome = try Program.run("import", "office.txt", directory: directory.path)
        #expect(outcome.status == 0, "\(outcome)")
        let shown = try Program.run("show", "-", input: outcome.output).output
        #expect(shown.contains("office.txt, in the format of ping") && shown.contains("25.05 ms delay"), "\(shown)")
        #expect(outcome.errors.hasPrefix("FIGURE"), "\(outcome)")
        #expect(outcome.errors.contains("loss, round trip") && outcome.errors.contains("note: "), "\(outcome)")
        #expect(try Program.run("import", "-", "--from", "ping", "--name", "Mine", input: Self.log).status == 0)
        let bad = try Program.run("import", "-", input: Self.log + "64 bytes from a: icmp_seq=x ttl=64 time=5 ms\n")
        #expect(
            bad.status == 65 && bad.output.isEmpty && bad.errors.contains("line 38: ")
                && bad.errors.contains("sequence number"),
            "\(bad)"
        )
        let few = try Program.run("import", "-", input: String(Self.log.prefix(300)))
        #expect(few.status == 65 && few.errors.contains("too few to fit a link to"), "\(few)")
        let both = Self.log + Self.log.replacing("a.test", with: "b.test")
        let several = try Program.run("import", "-", input: both)
        #expect(several.status == 64 && several.errors.contains("try: --name a.test"), "\(several)")
        #expect(try Program.run("import", "-", "--name", "b.test", input: both).status == 0)
        #expect(try Program.run("import", "-", "--from", "ping", input: "hello").status == 65)
    }

    @Test func refusesCapturesThatTellNothing() throws {
        let directory = try TemporaryDirectory()
        try directory.write("empty.pcap", "")
        #expect(try Program.run("import", "--from", "pcap", "empty.pcap", directory: directory.path).status == 65)
        #expect(try Program.run("import", "--from", "pcap", "-", input: Self.log).status == 65)
        // The header of a pcap file for Ethernet, and nothing else.
        let header = #"printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\4\0\x01\0\0\0'"#
        let nothing = try Program.shell(#"\#(header) | "$LINKCOND" import -"#)
        #expect(nothing.status == 65 && nothing.errors.contains("it has no packets"), "\(nothing)")
        let damaged = try Program.shell(#"(\#(header); head -c 100 /dev/zero | tr '\0' '\377') | "$LINKCOND" import -"#)
        #expect(damaged.status == 65 && damaged.errors.contains("cannot be read further"), "\(damaged)")
    }
}
