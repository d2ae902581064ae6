// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ClientTraffic
import ClientVerdicts
import Glibc
import LinkProfiles
import LinuxSystem
import Reports
import SandboxClient
import Sandboxing
import Trials

extension Linkcond {
    struct Judge: ParsableCommand {
        static let configuration = CommandConfiguration(
            .judge,
            abstract: "Inside of a run: judge the client by its packets so far.",
            discussion: """
                For tests in any language: a test sets a mark or remembers the time, calls its client, and judges the \
                packets since then. Nothing else should use the link meanwhile.

                Exit status: 0 as expected, 1 if an expectation failed, otherwise that of the other commands. With \
                --follow, the status says nothing of verdicts.
                """,
            examples: "judge 'at most 3 connections'",
            "judge --since cancelled 'leaves no connection open'"
        )

        @Argument(
            help: ArgumentHelp(
                "What is expected, such as 'at most 5 connection attempts'; repeatable.",
                valueName: "EXPECTATION"
            )
        )
        var expectations: [String]

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Judge from the latest mark or step of this name on, not from the start.",
                valueName: "LABEL"
            )
        )
        var since: String?

        @Option(
            name: .long,
            help: ArgumentHelp("Judge from this time on, in nanoseconds since 1970.", valueName: "NANOSECONDS")
        )
        var sinceTime: Int64?

        @Option(
            name: .long,
            help: ArgumentHelp("Judge only what this process and its descendants did.", valueName: "PID")
        )
        var process: Int32?

        @Flag(name: .long, help: "Print the verdicts as JSON.")
        var json = false

        @Flag(name: .long, help: "Print verdicts as they change, until interrupted or until the run ends.")
        var follow = false

        @Flag(name: .long, help: "Exit with 1 for a verdict that is inconclusive, too.")
        var strict = false

        @Flag(name: .long, help: "Only read the expectations; exit with 64 and the right spelling if one is wrong.")
        var check = false

        func validate() throws {
            guard since == nil || sinceTime == nil else {
                throw ValidationError("--since and --since-time cannot be combined.")
            }
            guard !follow || !strict && !check else {
                throw ValidationError(
                    "--follow prints verdicts as they change: --strict and --check have no use there."
                )
            }
            if let process, process < 1 { throw ValidationError("--process is the number of a process.") }
            if !check { _ = try parse() }
        }

        private func parse() throws(ValidationError) -> [ClientExpectation] {
            let parsed = try ObservationOptions.expectations(expectations, of: "")
            for expectation in parsed {
                guard case .exits = expectation.kind else { continue }
                throw ValidationError("'\(expectation)' is about the end of the command: give it to \"run --expect\".")
            }
            return parsed
        }

        func run() throws {
            if check {
                do throws(ValidationError) {
                    _ = try parse()
                    return
                } catch {
                    // Without the usage text, which does not explain expectations.
                    throw Failure(.usage, error.message)
                }
            }
            let begin = begin
            let end = Instant.now
            if case .time(let time) = begin, time > end + Self.tolerance {
                throw Failure(
                    .usage,
                    "--since-time lies \((time - end).words) in the future: the time of day was set during the run\n"
                        + "try: linkcond mark NAME, and --since NAME"
                )
            }
            guard let sandbox = ControlClient.ofThisSandbox else {
                throw Failure(
                    .usage,
                    "no run to judge: this is not inside of \"linkcond run\"\n"
                        + "try: linkcond run --observe PROFILE -- COMMAND, and \"linkcond judge\" in that command"
                )
            }
            if follow {
                var follower = VerdictFollower(try parse())
                return try follower.run(sandbox, from: begin, PartScope(process: process), observe: show)
            }
            let scope = PartScope(process: process)
            let verdicts = try ObservedPart(of: sandbox, from: begin, to: end, scope).judge(try parse())
            let results = verdicts.judgements.map { RunReport.Result($0) }
            let verdict = Verdict.worst(of: results.map(\.verdict))
            if json {
                Console.data(
                    JSON(
                        ("verdict", .text(verdict.rawValue)),
                        ("begin", .number(verdicts.begin.nanoseconds)),
                        ("end", .number(end.nanoseconds)),
                        ("expectations", .list(results.map(\.json)))
                    )
                )
            } else {
                for line in results.flatMap(\.lines) { Console.text(line) }
            }
            if verdict.isFailure(strict: strict) { Glibc.exit(1) }
        }

        /// Prints a verdict that has changed, as text or as a line of JSON.
        private func show(_ judgement: Judgement) {
            let result = RunReport.Result(judgement)
            guard json else { return result.lines.forEach(Console.text) }
            let members = result.json.members.map { ($0.name, Optional($0.value)) }
            Console.text(JSON(members: [("time", .number(Instant.now.nanoseconds))] + members).line)
        }

        private var begin: JudgeRequest.Begin {
            if let since { return .label(since) }
            return sinceTime.map { .time(Instant(nanoseconds: RunClock.instant(ofDay: $0))) } ?? .run
        }

        /// How far --since-time may be in the future, since the two times come from different clocks.
        private static let tolerance = Duration.seconds(1)
    }
}
