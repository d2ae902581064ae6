// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TestKit
import Testing

@testable import linkcond

@Suite struct HelpTests {
    private static let profile = [
        "--delay", "--rate", "--loss", "--downlink", "--uplink", "--dns", "--competing", "--profile-path",
    ]
    private static let traffic = ["--to", "--port", "--protocol", "--exclude"]
    private static let rule = ["--engine", "--seed", "--before-foreign"]
    private static let namespace = ["--netns", "--pid", "--container"]

    private static let options: [(String, [String])] = [
        ("list", ["WORDS", "--mine", "--json", "--profile-path"]),
        ("new", ["NAME", "--from"] + profile),
        ("edit", ["PROFILE"]),
        ("remove", ["PROFILE"]),
        ("import", ["FILE", "--from", "--name"]),
        ("export", profile + ["PROFILE", "--to", "-i, --interface", "--facing"] + namespace),
        ("show", profile + ["--json", "--tc", "--facing", "-i, --interface"] + traffic + rule + namespace),
        ("validate", ["FILE"]),
        (
            "apply",
            profile + ["PROFILE", "-i, --interface", "--dry-run", "--for", "--confirm", "--keep-ssh", "--facing"]
                + traffic + rule + namespace
        ),
        ("switch", profile + ["PROFILE", "-i, --interface", "--rule", "--dry-run"] + traffic + rule + namespace),
        (
            "run",
            profile + [
                "PROFILE", "COMMAND", "-i, --interface", "--offline", "--no-drain", "--server-congestion",
                "--host-port", "--timeout", "--user",
            ]
                + ["--keep-children", "--scenario", "--expect", "--report", "--repeat", "--jobs", "--observe"]
                + ["--fail-fast", "--facing", "--shard", "--timings", "--list-trials", "--pane"]
                + traffic + rule + namespace
        ),
        ("mark", ["NAME"]),
        (
            "judge",
            ["EXPECTATION", "--since", "--since-time", "--process", "--json", "--follow", "--strict", "--check"]
        ),
        (
            "matrix",
            [
                "PROFILE", "-p, --profile", "--jobs", "--json", "--expect", "--report", "--strict", "--offline",
                "--no-drain",
                "--server-congestion", "--host-port", "--repeat", "--shard", "--timings", "--list-trials",
            ]
                + ["--timeout", "--seed", "--user", "--profile-path", "COMMAND", "--rules"] + traffic
        ),
        (
            "limits",
            profile + [
                "--vary", "--budget", "--jobs", "--json", "--expect", "--strict", "--offline", "--no-drain",
                "--server-congestion", "--host-port",
            ]
                + ["--timeout", "--seed", "--user", "PROFILE", "COMMAND"]
        ),
        (
            "explore",
            [
                "PROFILE", "-p, --profile", "--budget", "--runs", "--fails-in", "--only", "--without", "--jobs",
                "--write", "--json",
            ]
                + ["--expect", "--report", "--strict", "--fail-fast", "--offline", "--timeout", "--seed", "COMMAND"]
        ),
        (
            "verify",
            profile + ["PROFILE", "--engine", "--budget", "--seed", "--over-uplink", "--here", "--peer"]
                + ["-i, --interface", "--path-delay", "--report", "--strict", "--json"]
        ),
        ("merge", ["DIR", "--report", "--json"]),
        ("reflect", ["--listen", "--rate", "--for"]),
        (
            "simulate",
            profile + ["PROFILE", "--capture", "--host", "--load", "--size", "--for", "--seed", "--json"]
        ),
        (
            "capture",
            ["-i, --interface", "-w, --write", "-r, --read", "--filter", "--print", "--summary", "-s, --snap"]
                + ["-c, --count", "--for", "--super-packets", "--mirror", "--list", "--stop", "--json"] + namespace
        ),
        ("confirm", ["-i, --interface"] + namespace),
        ("status", ["-i, --interface", "--json"] + namespace),
        ("off", ["-i, --interface"] + namespace),
        ("on", ["-i, --interface"] + namespace),
        ("reset", ["-i, --interface", "--rule", "--now", "--all"] + namespace),
        ("pane", ["--open", "--port", "--report", "--socket", "--token-file"]),
        ("monitor", ["--json", "--samples", "--once", "--wait", "--for", "--metrics"] + namespace),
        ("containers", ["--watch", "--json", "--profile-path"]),
        ("doctor", ["--json"]),
    ]

    @Test func knowsOptionsOfEachCommand() {
        #expect(Set(Self.options.map(\.0)) == Set(CommandName.allCases.map(\.rawValue)))
    }

    @Test(arguments: options)
    func explainsEveryOption(command: String, options: [String]) throws {
        let outcome = try Program.run("help", command)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        for option in options + ["--help"] {
            // The option at the start of its line, and words to it there or on the next.
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            let place = lines.firstIndex { line in
                let words = line.trimmingPrefix { $0 == " " }
                return line.hasPrefix("  ")
                    && (words.hasPrefix("\(option) ") || words.hasSuffix(", \(option)")
                        || words.contains(", \(option) "))
            }
            guard let place else {
                Issue.record("\(command) does not explain \(option)")
                continue
            }
            let explanation = lines[place...].prefix(2).map { $0.dropFirst(26) }.joined()
            #expect(explanation.contains(" "), "\(command) says nothing of \(option)")
        }
    }

    /// The groups of options, in their order; those of a command stand in no other one.
    @Test(arguments: CommandName.allCases)
    func groupsOptions(command: CommandName) throws {
        let help = try Program.run("help", command.rawValue)
        let known = ["ARGUMENTS:", "OPTIONS:", "LINK:", "NETWORK:", "JUDGE:", "OUTPUT:", "INTERFACE:", "RARE:"]
        let titles = help.lines.map(String.init).filter { $0.wholeMatch(of: /[A-Z ]+:/) != nil }
        #expect(titles == known.filter(titles.contains), "\(titles)")
        #expect(!help.output.contains(/<[A-Za-z-]+>/))
    }

    @Test func groupsTheOptionsOfRun() throws {
        let sections = try Program.run("help", "run").output.components(separatedBy: ":\n  -")
        func section(of option: String) -> String? {
            sections.firstIndex { "-\($0)".contains("\n  \(option) ") || "-\($0)".hasPrefix("\(option) ") }
                .flatMap { sections[..<$0].last?.split(separator: "\n").last.map(String.init) }
        }
        for (option, title) in [
            ("--delay", "LINK"), ("--scenario", "LINK"), ("--offline", "NETWORK"), ("--expect", "JUDGE"),
            ("--timeout", "JUDGE"), ("--report", "OUTPUT"), ("--netns", "INTERFACE"), ("--before-foreign", "RARE"),
        ] {
            #expect(section(of: option) == title, "\(option)")
        }
    }

    @Test(arguments: CommandName.allCases)
    func isShortOnRequest(command: CommandName) throws {
        let short = try Program.run(command.rawValue, "-h")
        #expect(short.status == 0 && short.errors.isEmpty)
        let options = short.lines.filter { $0.hasPrefix("  -") }
        #expect(options.count <= 12 && short.lines.allSatisfy { $0.count <= 80 }, "\(short.output)")
        for option in command.mainOptions {
            #expect(options.contains { $0.contains("\(option) ") || $0.hasSuffix(option) }, "\(option)")
        }
        #expect(short.output.contains("\n  linkcond \(command.rawValue)"))
        #expect(short.output.hasSuffix("linkcond \(command.rawValue) --help\n"))
        #expect(try Program.run(command.rawValue, "--help").output == Program.run("help", command.rawValue).output)
    }

    /// The examples are command lines that the parser accepts.
    @Test(arguments: CommandName.allCases)
    func showsExamplesThatParse(command: CommandName) throws {
        let text = command.type.configuration.discussion
        let examples = text.split(separator: "\n").filter { $0.hasPrefix("  linkcond ") }
        #expect((1...2).contains(examples.count))
        for example in examples {
            // Quoted words have blanks.
            let parts = example.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
                $0.isMultiple(of: 2) ? $1.split(separator: " ") : [$1]
            }
            let words = parts.map(String.init).prefix { $0 != ">" }
            #expect(throws: Never.self, "\(example)") { try command.type.parseAsRoot(Array(words.dropFirst(2))) }
        }
    }

    @Test(arguments: HelpTopic.allCases)
    func explainsTopics(topic: HelpTopic) throws {
        let help = try Program.run("help", topic.rawValue)
        #expect(help.status == 0 && help.lines.allSatisfy { $0.count <= 80 })
        #expect(try Program.run().errors.contains(topic.rawValue))
        // The example is a file that the program takes.
        let example = help.lines.drop { $0 != "{" }.prefix { $0.first.map { "{} ".contains($0) } ?? false }
        guard !example.isEmpty else { return #expect(topic == .expectations) }
        let outcome = try Program.run("validate", "-", input: example.joined(separator: "\n"))
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func keepsTheColumnsOfTopics() {
        let lines = HelpTopic.scenarios.text.split(separator: "\n").map(String.init)
        let column = String(repeating: " ", count: 39)
        #expect(lines.contains("                {\"bytes\": \"10 kB\"}     the link has carried so much, both ways"))
        #expect(lines.contains("\(column)together"), "\(lines)")
    }

    /// Each command stands on one line, as it is typed.
    @Test(arguments: HelpTopic.allCases)
    func breaksNoCommandOfATopic(topic: HelpTopic) {
        for line in topic.text.split(separator: "\n") where line.hasPrefix("  linkcond ") {
            #expect(line.count { $0 == "'" }.isMultiple(of: 2), "\(line)")
        }
    }

    @Test(arguments: [CommandName.status, .reset, .off, .on, .confirm])
    func explainsTheInterfaceFirst(command: CommandName) throws {
        let options = try Program.run(command.rawValue, "-h").lines.filter { $0.hasPrefix("  -") }
        #expect(options.first?.hasPrefix("  -i, --interface DEV") == true, "\(options)")
    }

    @Test func suggestsTopics() throws {
        let outcome = try Program.run("help", "scenario")
        #expect(outcome.status == 64 && outcome.errors.contains("did you mean \"scenarios\"?"), "\(outcome)")
    }

    @Test func namesTheStatusOfAFailedExpectation() throws {
        let help = try Program.run("help", "run").output.replacing("\n", with: " ")
        #expect(help.contains("else 1 if an expectation failed; 124 after --timeout"))
    }

    @Test(arguments: CommandName.allCases)
    func listsNoOptionThatIsNotExplained(command: CommandName) throws {
        let output = try Program.run(command.rawValue, "--help").output
        for match in output.matches(of: /\n  (--?[a-z]\S*.*)/) {
            #expect(
                match.1.split(separator: " ").count > 1 || output.contains("\(match.1)\n                          ")
            )
        }
    }
}
