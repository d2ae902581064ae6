// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import linkcond

/// Figures on the command line.
@Suite struct FigureTests {
    @Test func standAlone() throws {
        let outcome = try Program.run("show", "--uplink", "rate=1 Mbit/s,delay=50 ms", "--dns", "delay=1 s")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("uplink    50 ms delay, 1 Mbit/s"))
        #expect(outcome.output.contains("downlink  untouched"))
        #expect(outcome.output.contains("dns       1 s more"))
        #expect(outcome.output.contains("from      command line"))
    }

    @Test func replaceThoseOfAProfile() throws {
        let outcome = try Program.run(
            "show",
            "Slow Net",
            "--uplink",
            "rate=64 kbit/s, loss=5 %",
            "--downlink",
            "delay=1 ms"
        )
        #expect(outcome.status == 0)
        #expect(outcome.lines.first == "Slow Net")
        #expect(outcome.output.contains("uplink    5 % lost, 100 ms delay, 64 kbit/s"))
        #expect(outcome.output.contains("downlink  1 ms delay, 32 kbit/s"))
        #expect(outcome.output.contains("dns       200 ms more"))
    }

    @Test func areThoseOfBothDirections() throws {
        let outcome = try Program.run("show", "--rate", "2Mbit/s", "--delay", "50 ms", "--loss", "5%")
        #expect(outcome.status == 0, "\(outcome)")
        for direction in ["downlink", "uplink  "] {
            #expect(outcome.output.contains("\(direction)  5 % lost, 50 ms delay, 2 Mbit/s"), "\(outcome)")
        }
    }

    @Test func ofOneDirectionOverrideThoseOfBoth() throws {
        let outcome = try Program.run("show", "Slow Net", "--delay", "50 ms", "--uplink", "delay=1 s", "--loss", "1 %")
        #expect(outcome.output.contains("downlink  1 % lost, 50 ms delay, 32 kbit/s"), "\(outcome)")
        #expect(outcome.output.contains("uplink    1 % lost, 1 s delay, 32 kbit/s"), "\(outcome)")
    }

    /// The shell has split them at the space.
    @Test func mayBeSplitByTheShell() {
        let found = SplitFigure(.run, ["--delay", "100", "ms", "--offline", "--", "x"])
        #expect(found?.problem == "--delay has one word: write 100ms, or quote it")
        #expect(found?.remedy == "linkcond run --delay 100ms --offline -- x")
        #expect(SplitFigure(.apply, ["3g", "--for", "10", "min", "-i", "lo"])?.problem.contains("10min") == true)
        #expect(SplitFigure(.run, ["--loss", "5", "%", "--", "x"])?.remedy == "linkcond run --loss 5% -- x")
        for line in ["--timeout 5 3g -- x", "--timeout 5 lte -- x", "--delay 5ms s -- x", "-- x --delay 100 ms"] {
            #expect(SplitFigure(.run, line.split(separator: " ").map(String.init)) == nil, "\(line)")
        }
    }

    @Test func areRefusedWhereSplit() throws {
        let outcome = try Program.run("run", "--offline", "--delay", "100", "ms", "--", "true")
        #expect(outcome.status == 125, "\(outcome)")
        #expect(outcome.errors.hasSuffix("try: linkcond run --offline --delay 100ms -- true\n"), "\(outcome)")
    }

    @Test(arguments: [
        ["--uplink", "rate=1"], ["--uplink", "rate"], ["--uplink", ""], ["--uplink", "speed=1 Mbit/s"],
        ["--uplink", "loss=101 %"], ["--downlink", "delay=5 ms,delay=6 ms"], ["--dns", "rate=1 Mbit/s"],
        ["--dns", "delay=soon"], ["--uplink", "queue=10 packets"], ["--uplink", "rate=1 Mbit/s;delay=5 ms"],
    ])
    func areRefusedWhereWrong(options: [String]) throws {
        for profile in [[], ["Black Hole"]] {
            let outcome = try Program.start([Program.path, "show"] + profile + options)
            #expect(outcome.status == 65, "\(outcome)")
            #expect(["linkcond: $", "linkcond: --"].contains { outcome.errors.hasPrefix($0) }, "\(outcome)")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test func areExplainedWhereTheirKeyIsUnknown() throws {
        let outcome = try Program.run("show", "--downlink", "latency=50ms")
        let words = "did you mean \"delay\"?\nlinkcond: try: linkcond help profiles\n"
        #expect(outcome.errors.contains(words), "\(outcome)")
    }

    /// By the name of the option, and once, although it is a figure of each direction.
    @Test(arguments: [("--loss", "5", "5 %"), ("--rate", "1 Mbit", "1 Mbit/s"), ("--delay", "100", "100 ms")])
    func ofBothDirectionsAreRefusedOnce(option: String, text: String, right: String) throws {
        let outcome = try Program.start([Program.path, "show", "3G", option, text])
        #expect(outcome.status == 65 && outcome.errors.hasPrefix("linkcond: \(option): \"\(text)\" has "), "\(outcome)")
        #expect(
            outcome.errors.split(separator: "\n").count == 1 && outcome.errors.contains("did you mean \"\(right)\"?")
        )
    }

    @Test func addTrafficOfOthers() throws {
        let outcome = try Program.run("show", "Slow Net", "--competing", "2 bulk up", "--competing", "call 8 kbit/s")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("32 kbit/s, shared with a call of 8 kbit/s"), "\(outcome)")
        #expect(outcome.output.contains("shared with 2 long TCP flows"), "\(outcome)")
    }

    @Test(arguments: [
        (["show", "--competing", "bulk"], "the downlink has no rate that \"bulk\" could share"),
        (["show", "3G", "--competing", "blk"], "found \"blk\""),
        (["show", "3G", "--competing", "video 8"], "8 has no unit"), (["show", "3G", "--competing", ""], "found \"\""),
    ])
    func refuseTrafficByItsOption(arguments: [String], words: String) throws {
        let outcome = try Program.start([Program.path] + arguments)
        #expect(outcome.status == 65 && outcome.errors.hasPrefix("linkcond: --competing: "), "\(outcome)")
        #expect(outcome.errors.replacing("\"8\"", with: "8").contains(words), "\(outcome)")
    }

    @Test func keepTheSizeOfAQueueWithAnotherDiscipline() throws {
        let outcome = try Program.run("show", "--downlink", "rate=1 Mbit/s,queue=codel,ecn=true")
        let words = "1 Mbit/s, codel queue, which marks where the packet allows it"
        #expect(outcome.output.contains(words), "\(outcome)")
        let wrong = try Program.run("show", "--downlink", "rate=1 Mbit/s,queue=fq-codel")
        #expect(wrong.status == 65 && wrong.errors.contains("did you mean \"fq_codel\"?"), "\(wrong)")
    }

    @Test func areRefusedTogether() throws {
        let outcome = try Program.run("show", "--uplink", "rate=1", "--downlink", "delay=2")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("$.uplink.rate"))
        #expect(outcome.errors.contains("$.downlink.delay"))
    }
}
