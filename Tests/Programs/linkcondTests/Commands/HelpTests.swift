// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import linkcond

@Suite struct HelpTests {
    private static let profile = ["--downlink", "--uplink", "--dns", "--profile-path"]
    private static let traffic = ["--to", "--port", "--protocol", "--exclude"]
    private static let rule = ["--engine", "--seed", "--before-foreign"]
    private static let namespace = ["--netns", "--pid", "--container"]

    private static let options = [
        ("list", ["<words>", "--mine", "--json", "--profile-path"]),
        ("new", ["<name>", "--from", "--downlink", "--uplink", "--dns", "--profile-path"]),
        ("edit", ["<name>"]),
        ("remove", ["<name>"]),
        ("import", ["<file>", "--from", "--name"]),
        ("export", profile + ["<profile>", "--to", "-i, --interface", "--facing"] + namespace),
        ("show", profile + ["--json", "--tc", "--facing", "-i, --interface"] + traffic + rule + namespace),
        ("validate", ["<files>"]),
        (
            "apply",
            profile + ["<profile>", "-i, --interface", "--dry-run", "--for", "--confirm", "--keep-ssh", "--facing"]
                + traffic + rule + namespace
        ),
        ("switch", profile + ["<profile>", "-i, --interface", "--rule", "--dry-run"] + traffic + rule + namespace),
        (
            "run",
            profile + [
                "<profile>", "<command>", "-i, --interface", "--offline", "--no-drain", "--server-congestion",
                "--host-port", "--timeout", "--user",
            ]
                + ["--keep-children", "--scenario", "--expect", "--report", "--repeat", "--jobs", "--observe"]
                + ["--fail-fast", "--facing"] + traffic + rule + namespace
        ),
        ("mark", ["<name>"]),
        (
            "judge",
            ["<expectations>", "--since", "--since-time", "--process", "--json", "--follow", "--strict", "--check"]
        ),
        (
            "matrix",
            [
                "-p, --profile", "--jobs", "--json", "--expect", "--report", "--strict", "--offline", "--no-drain",
                "--server-congestion", "--host-port",
            ]
                + ["--timeout", "--seed", "--user", "--profile-path", "<command>"]
        ),
        (
            "limits",
            profile + [
                "--vary", "--budget", "--jobs", "--json", "--expect", "--strict", "--offline", "--no-drain",
                "--server-congestion", "--host-port",
            ]
                + ["--timeout", "--seed", "--user", "<profile>", "<command>"]
        ),
        (
            "explore",
            ["-p, --profile", "--budget", "--runs", "--fails-in", "--only", "--without", "--jobs", "--write", "--json"]
                + ["--expect", "--report", "--strict", "--fail-fast", "--offline", "--timeout", "--seed", "<command>"]
        ),
        (
            "verify",
            profile + ["<profile>", "--engine", "--budget", "--seed", "--over-uplink", "--here", "--peer"]
                + ["-i, --interface", "--path-delay", "--report", "--strict", "--json"]
        ),
        ("reflect", ["--listen", "--rate", "--for"]),
        (
            "simulate",
            profile + ["<profile>", "--capture", "--host", "--load", "--size", "--for", "--seed", "--json"]
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
