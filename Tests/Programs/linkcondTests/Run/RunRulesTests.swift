// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Several profiles in one sandbox, for parts of its traffic. Times are checked against lower bounds, and against orders of
/// magnitude.
@Suite(.enabled(if: Kernel.canPump && Kernel.hasSandboxes, "needs namespaces and /dev/net/tun"))
struct RunRulesTests {
    private static func delay(_ milliseconds: Int, _ more: String = "") -> String {
        """
        { "name": "\(milliseconds) ms", "uplink": { "delay": "\(milliseconds) ms" }, \
        "downlink": { "delay": "\(milliseconds) ms" }\(more) }
        """
    }

    private static let regions = """
        { "rules": [
            { "to": "127.0.0.2", "profile": \(delay(60)) },
            { "to": ["127.0.0.3", "::1"], "exclude": { "protocol": "udp" }, "profile": \(delay(150)) },
            { "port": 9, "protocol": "udp", "profile": "Black Hole" }
        ] }
        """

    /// Runs a line of shell with rules; `$LINKCOND` is the program.
    private func run(_ rules: String, _ options: [String] = [], _ line: String) throws -> CommandResult {
        let files = try TemporaryDirectory()
        let path = try files.write("rules.json", rules).path
        return try Program.start(
            [Program.path, "run", "--offline", "--rules", path] + options + ["--", "/bin/bash", "-c", line],
            variables: ["LINKCOND": Program.path]
        )
    }

    /// The times of replies to pings, in milliseconds.
    private func times(_ lines: [Substring]) -> [Double] {
        lines.compactMap { line in
            line.firstRange(of: "time=").flatMap { Double(line[$0.upperBound...].prefix { $0 != " " }) }
        }
    }

    private static let pings = "for a in 127.0.0.1 127.0.0.2 127.0.0.3 ::1; do ping -n -c 1 $a | grep time=; done"

    @Test(arguments: [[], ["--seed", "1"], ["--expect", "exits with 0"]])
    func eachPartOfTheTrafficHasItsProfile(options: [String]) throws {
        let outcome = try run(Self.regions, options, Self.pings)
        let times = times(outcome.lines)
        try #require(times.count == 4, "\(outcome)")
        #expect(times[0] < 100 && 120..<280 ~= times[1] && 300..<900 ~= times[2] && 300..<900 ~= times[3], "\(times)")
    }

    @Test func theRestHasTheProfileOfTheCommandLine() throws {
        let far = ["--uplink", "delay=300 ms", "--downlink", "delay=300 ms"]
        let outcome = try run(Self.regions, far, Self.pings)
        let times = times(outcome.lines)
        try #require(times.count == 4, "\(outcome)")
        #expect(times[0] >= 600 && 120..<280 ~= times[1] && 300..<580 ~= times[2], "\(times)")
    }

    @Test func aRuleWithoutFiguresLeavesItsPartUntouched() throws {
        let far = ["--uplink", "delay=300 ms", "--downlink", "delay=300 ms"]
        let rules = #"{ "rules": [{ "to": ["127.0.0.2", "::1"], "profile": { "name": "Local" } }] }"#
        let outcome = try run(rules, far, Self.pings)
        let times = times(outcome.lines)
        try #require(times.count == 4, "\(outcome)")
        #expect(times[0] >= 600 && times[1] < 100 && times[2] >= 600 && times[3] < 100, "\(times)")
    }

    @Test func aSwitchChangesOnlyTheRest() throws {
        let outcome = try run(
            Self.regions,
            ["3G"],
            "\"$LINKCOND\" switch LTE; \(Self.pings); \"$LINKCOND\" status"
        )
        #expect(times(outcome.lines).count == 4 && times(outcome.lines)[1] >= 120, "\(outcome)")
        #expect(outcome.output.contains("lo: LTE (rule 1, userspace"), "\(outcome)")
        for words in ["60 ms (rule 2", "150 ms (rule 3", "Black Hole (rule 4"] {
            #expect(outcome.output.contains(words), "\(words) in \(outcome)")
        }
    }

    /// Of each run its own.
    @Test func eachRepetitionHasThem() throws {
        let options = ["--repeat", "3", "--expect", "exits with 0"]
        let isSlow = "grep -Eq 'time=(1[2-9]|[2-9][0-9])[0-9]|time=[0-9]{4}'"
        let outcome = try run(Self.regions, options, "ping -n -c 1 127.0.0.2 | \(isSlow)")
        #expect(outcome.status == 0 && outcome.errors.contains("exits with 0              3       0"), "\(outcome)")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to become nobody"), arguments: [true, false])
    func aUserHasThem(byOption: Bool) throws {
        let files = try TemporaryDirectory()
        let path = try files.write("rules.json", Self.regions).path
        let installation = try Installation(for: .nobody)
        let user = byOption ? [] : Caller.nobody.words
        let options = ["run", "--offline", "--rules", path] + (byOption ? ["--user", "nobody"] : [])
        let line = "id -u; ping -n -c 1 127.0.0.2 | grep time="
        let outcome = try Program.start(user + [installation.path] + options + ["--", "/bin/bash", "-c", line])
        #expect(outcome.lines.first == "65534" && times(outcome.lines).first.map { $0 >= 120 } == true, "\(outcome)")
    }

    /// No part of the traffic is better than its rule when the process that carries it is gone.
    @Test func nothingPassesWithoutThem() throws {
        let line = """
            pump=$(pgrep -P $PPID -x lc-pump); kill -9 $pump; while kill -0 $pump 2>/dev/null; do sleep 0.01; done
            for a in 127.0.0.2 127.0.0.1; do ping -n -c 1 -W 1 $a >/dev/null 2>&1; echo $?; done
            """
        let outcome = try run(Self.regions, ["3G"], line)
        #expect(outcome.lines.count == 2 && !outcome.lines.contains("0"), "\(outcome)")
        #expect(outcome.errors.contains("lc-pump, which carries the conditions, ended"), "\(outcome)")
    }

    /// The packets of every rule are seen, once, and with their fate.
    @Test func verdictsAreAboutAllOfTheTraffic() throws {
        let talk = """
            import socket
            for address in "127.0.0.1", "127.0.0.2", "127.0.0.3":
                server = socket.create_server((address, 8080))
                client = socket.create_connection((address, 8080))
                server.accept()[0].sendall(b"hello")
                client.recv(5)
            """
        let expected = [
            "at most 3 connections", "at most 2 connections", "at most 1 connection to 127.0.0.2:8080",
            "at most 0 connections to 127.0.0.3:8080", "at most 1 connection to 127.0.0.1:8080",
        ]
        let outcome = try run(
            Self.regions,
            expected.flatMap { ["--expect", $0] },
            "exec python3 -c '\(talk)'"
        )
        #expect(outcome.status == 1, "\(outcome)")
        let verdicts = outcome.errors.split(separator: "\n").compactMap { line in
            ["pass", "FAIL", "inconclusive"].first { line.hasPrefix("linkcond: \($0) ") }
        }
        #expect(verdicts == ["pass", "FAIL", "pass", "FAIL", "pass"], "\(outcome)")
    }

    @Test func aRuleThatNetemCannotCarryHasAllOnTheOtherEngine() throws {
        let rule = Self.delay(20, #", "faults": [{ "match": { "packet": "syn" }, "do": { "refuse": "reset" } }]"#)
        let outcome = try run(
            #"{ "rules": [{ "port": 8080, "profile": \#(rule) }] }"#,
            ["--uplink", "delay=5 ms", "--downlink", "delay=5 ms"],
            "\"$LINKCOND\" status | grep -c userspace; exec 3<>/dev/tcp/127.0.0.1/8080"
        )
        #expect(outcome.lines.first == "2" && outcome.errors.contains("Connection refused"), "\(outcome)")
    }

    @Test(arguments: [
        (#"{ "to": "127.0.0.2", "profile": "3H" }"#, "rules[0].profile: no profile is called \"3H\""),
        (#"{ "port": 80, "profile": "Idle NAT" }"#, "rules[0].profile: \"nat\" is for all traffic"),
        (
            #"{ "port": 80, "profile": "3G" }, { "port": [80], "profile": "LTE" }"#,
            "rules[1]: another rule is for the same traffic on port 80"
        ),
        (#"{ "profile": "3G" }"#, "rules[0]: the rule is for all traffic"),
        (#"{ "to": "no-such-host.invalid", "profile": "3G" }"#, "a rule is about the host no-such-host.invalid"),
    ])
    func mistakesAreRefusedBeforeTheCommand(rule: String, words: String) throws {
        let outcome = try run("{ \"rules\": [\(rule)] }", [], "echo begun")
        #expect(outcome.status == 125 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome)")
    }

    @Test func areValidatedAndNotShown() throws {
        let files = try TemporaryDirectory()
        let path = try files.write("rules.json", #"{ "rules": [{ "port": 80, "profile": "3G" }] }"#).path
        #expect(try Program.run("validate", path).output == "\(path): 1 rule\n")
        let shown = try Program.run("show", path)
        #expect(shown.status == 64 && shown.errors.contains("\"run --rules\" takes it"), "\(shown)")
    }

    @Test func areNotForAnInterface() throws {
        let outcome = try run(#"{ "rules": [] }"#, ["3G", "-i", "lo"], "echo begun")
        #expect(outcome.status == 125 && outcome.errors.contains("--rules cannot be combined with -i"), "\(outcome)")
    }
}
