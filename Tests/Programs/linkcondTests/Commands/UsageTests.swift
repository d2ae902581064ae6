// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Usage errors: status 64 and a suggestion.
@Suite struct UsageTests {
    @Test func showsHelpWithoutArguments() throws {
        let outcome = try Program.run()
        #expect(outcome.status == 0)
        for command in ["list", "show", "validate", "apply", "switch", "status", "reset", "monitor", "doctor"] {
            #expect(outcome.output.contains("\n  \(command) "))
        }
        #expect(outcome.output.contains("Exit status: 0 done, 1 a check failed, 64 usage, 65 bad profile"))
        #expect(outcome.errors.isEmpty)
    }

    @Test func saysItsVersion() throws {
        let outcome = try Program.run("--version")
        #expect(outcome.status == 0)
        // The commit is known where scripts/build has made the program of a repository.
        let form = /\d+\.\d+\.\d+( \(commit [0-9a-f]{10}, \d{4}-\d\d-\d\d(, and changes)?\))?\n/
        #expect(outcome.output.wholeMatch(of: form) != nil, "\(outcome)")
    }

    @Test func refusesAnUnknownSubcommand() throws {
        let outcome = try Program.run("throttle")
        #expect(outcome.status == 64)
        #expect(outcome.errors == "linkcond: no command is called \"throttle\"\nlinkcond: try: linkcond help\n")
        #expect(outcome.output.isEmpty)
    }

    @Test(arguments: [
        (["shw"], "show"), (["shw", "--help"], "show"), (["help", "shw"], "show"), (["hlep"], "help"),
        (["aply", "3G", "-i", "lo"], "apply"), (["Run", "--", "true"], "run"),
    ])
    func suggestsTheNearestSubcommand(arguments: [String], name: String) throws {
        let outcome = try Program.start([Program.path] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("; did you mean \"\(name)\"?\n"), "\(outcome)")
        #expect(outcome.output.isEmpty)
    }

    @Test func suggestsTheNearestOption() throws {
        let outcome = try Program.run("list", "--jsn")
        #expect(outcome.status == 64 && outcome.errors.contains("'--json'"), "\(outcome)")
    }

    @Test(arguments: [["apply", "-i", "lo"], ["show"], ["switch"]])
    func refusesToGuessTheProfile(command: [String]) throws {
        let outcome = try Program.start([Program.path] + command)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("Missing a profile"))
        #expect(outcome.errors.contains("linkcond list"))
    }

    @Test func refusesToGuessTheInterface() throws {
        let outcome = try Program.run("apply", "Slow Net")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--interface"))
    }

    @Test(arguments: [
        ["--port", "99999"], ["--port", "0"], ["--port", "http"], ["--protocol", "sctp"], ["--exclude", "22"],
        ["--exclude", "port"], ["--exclude", "port 22 23"], ["--exclude", "from 10.0.0.1"], ["--engine", "fast"],
        ["--seed", "-1"], ["--seed", "x"], ["--netns", "a", "--pid", "1"], ["--pid", "x"], ["--nonsense"],
    ])
    func refusesBadOptions(options: [String]) throws {
        let outcome = try Program.start(Program.namespace + [Program.path, "apply", "Slow Net", "-i", "lo"] + options)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains(options[0]))
        #expect(outcome.output.isEmpty)
    }

    @Test(arguments: [
        (["--path", "wifi0"], "such as wifi0=LTE"), (["--path", "wifi0="], "such as wifi0=LTE"),
        (["--path", "lo=LTE"], "none that an interface can have"), (["--path", "a b=LTE"], "none that an interface"),
        (["--path", "a=LTE", "--path", "a=3G"], "a name of its own"),
        (["a", "b", "c", "d"].flatMap { ["--path", "\($0)=LTE"] }, "at most 3 times"),
        (["--path", "a=LTE", "--offline"], "leave out --offline"),
        (["--path", "a=LTE", "-i", "lo"], "combined with -i"),
        (["--path", "a=LTE", "--scenario", "NAT Rebinding"], "leave out --path"),
    ])
    func refusesPathsThatCannotBe(options: [String], words: String) throws {
        let outcome = try Program.start([Program.path, "run"] + options + ["--", "true"])
        #expect(outcome.status == 125 && outcome.errors.contains(words), "\(outcome)")
    }

    @Test(arguments: [["--protocol", "carrier-pigeon"], ["--exclude", "protocol carrier-pigeon"]])
    func saysWhichProtocolsThereAre(options: [String]) throws {
        let outcome = try Program.start(Program.namespace + [Program.path, "apply", "Slow Net", "-i", "lo"] + options)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("one of tcp, udp, icmp"), "\(outcome)")
    }

    @Test func refusesARemoteEndWithAnUnknownName() throws {
        let outcome = try Program.isolated("apply", "Slow Net", "-i", "lo", "--to", "nobody.invalid")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("--to nobody.invalid is not an address, a network or a known host name"))
        let excluded = try Program.isolated("apply", "Slow Net", "-i", "lo", "--exclude", "to nobody.invalid")
        #expect(excluded.status == 66)
    }

    @Test func refusesANameThatWouldBeShell() throws {
        let file = try TemporaryDirectory()
        let outcome = try Program.isolated("apply", "Slow Net", "-i", "lo", "--to", "x; touch \(file.path)/made")
        #expect(outcome.status == 66)
        #expect(!FileManager.default.fileExists(atPath: "\(file.path)/made"))
    }

    @Test func needsAnInterfaceToShowCommands() throws {
        let outcome = try Program.run("show", "Slow Net", "--tc")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("-i DEV"))
    }
}
