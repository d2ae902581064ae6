// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import linkcond

/// Usage errors: status 64 and a suggestion.
@Suite struct UsageTests {
    @Test func listsCommandsInGroupsWithoutArguments() throws {
        let (alone, asked) = (try Program.run(), try Program.run("-h"))
        #expect(alone.status == 64 && alone.output.isEmpty)
        #expect(asked.status == 0 && asked.output == alone.errors)
        let titles = CommandName.Group.allCases.map { "\($0.rawValue):" }
        #expect(alone.errors.split(separator: "\n").map(String.init).filter(titles.contains) == titles)
        #expect(alone.errors.contains("\nTest a client:\n  run         Run a command"))
        #expect(alone.errors.contains("\n  inside:     mark, judge, switch\n"))
        for name in CommandName.allCases { #expect(alone.errors.contains(name.rawValue)) }
        #expect(alone.errors.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func explainsAllCommandsInGroups() throws {
        let help = try Program.run("--help")
        #expect(help.status == 0 && help.errors.isEmpty)
        #expect(help.output.contains("\nTEST A CLIENT:\n  run "))
        for name in CommandName.allCases { #expect(help.output.contains("\n  \(name.rawValue) ")) }
        #expect(Set(CommandName.Group.allCases.flatMap(\.commands)) == Set(CommandName.allCases))
        let statuses = help.output.split(separator: "\n\n").last ?? ""
        let words = statuses.replacing("\n", with: " ")
        #expect(words.hasPrefix("Exit status: 0 done, 1 a check failed, 64 usage, 65 bad profile"))
    }

    /// The parser's own messages have the form of the others: one voice.
    @Test(arguments: [
        ["list", "--jsn"], ["show", "a", "b"], ["reset", "a", "b"], ["run", "3G", "--tiemout", "5", "--", "x"],
        ["monitor", "http//x"], ["apply", "3G", "-i", "lo", "--engine", "fast"],
    ])
    func saysMistakesInOneVoice(command: [String]) throws {
        let outcome = try Program.start([Program.path] + command)
        #expect(outcome.status == (command[0] == "run" ? 125 : 64), "\(outcome)")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("linkcond: ") } && !outcome.errors.contains("Usage"), "\(outcome)")
        #expect(lines.last == "linkcond: try: linkcond \(command[0]) -h", "\(outcome)")
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

    @Test(arguments: [["verify"], ["export", "3G"], ["new", "X"], ["apply", "3G"], ["run", "3G"]])
    func showsAnExampleIfSomethingIsMissing(command: [String]) throws {
        let outcome = try Program.start([Program.path] + command)
        let name = try #require(CommandName(rawValue: command[0]))
        #expect(outcome.errors.hasPrefix("linkcond: missing "), "\(outcome)")
        #expect(outcome.errors.hasSuffix("linkcond: try: \(HelpText.examples(of: name)[0])\n"), "\(outcome)")
    }

    @Test(arguments: [["apply", "-i", "lo"], ["show"], ["switch"]])
    func refusesToGuessTheProfile(command: [String]) throws {
        let outcome = try Program.start([Program.path] + command)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("missing a profile"))
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
        #expect(outcome.errors.contains("try: an address, or getent ahosts nobody.invalid\n"), "\(outcome)")
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
