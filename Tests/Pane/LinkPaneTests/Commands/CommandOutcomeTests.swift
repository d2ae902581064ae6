// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import SandboxClient
import Testing

@testable import LinkPane

@Suite struct CommandOutcomeTests {
    private static func outcome(
        _ errors: String,
        _ end: CommandOutcome.End = .exited(0),
        arguments: [String] = ["apply", "Slow Net", "-i", "eth0"]
    ) -> CommandOutcome {
        CommandOutcome(arguments, end, output: "", errors: errors)
    }

    @Test func quotesTheLineForAShell() {
        let outcome = Self.outcome("", arguments: ["apply", "Slow Net", "--exclude", "port 22", "--to", "it's; rm"])
        #expect(outcome.line == #"linkcond apply 'Slow Net' --exclude 'port 22' --to 'it'\''s; rm'"#)
    }

    @Test func readsNotesWithTheirRemedies() {
        let outcome = Self.outcome(
            """
            linkcond: note: lo is slow
            linkcond: try: another
            eth0 has "Slow Net"; "linkcond reset -i eth0" ends it
            """
        )
        #expect(
            outcome.notes == ["lo is slow; try: another", #"eth0 has "Slow Net"; "linkcond reset -i eth0" ends it"#]
        )
        #expect(outcome.problem.isEmpty)
        #expect(outcome.answer().status == 200)
    }

    @Test func readsTheReasonAndTheRemedyOfAFailure() throws {
        let outcome = Self.outcome(
            """
            linkcond: note: before it
            linkcond: $.downlink.rate: "1" has no unit
            linkcond: $.downlink.delay: "z" does not start with a number
            linkcond: try: linkcond help profiles
            """,
            .exited(65)
        )
        let answer = outcome.answer(field: "downlink.rate")
        #expect(answer.status == 422)
        #expect(
            answer.body?.line == #"{ "error": "$.downlink.rate: \"1\" has no unit\n"#
                + #"$.downlink.delay: \"z\" does not start with a number", "kind": "badProfile", "#
                + #""field": "downlink.rate", "try": "linkcond help profiles", "#
                + #""command": "linkcond apply 'Slow Net' -i eth0", "notes": ["before it"] }"#
        )
    }

    /// The statuses of the guide's page on exit statuses.
    @Test(arguments: [
        (CommandOutcome.End.exited(64), "badRequest", 400), (.exited(65), "badProfile", 422),
        (.exited(66), "notFound", 404), (.exited(69), "unsupported", 422), (.exited(70), "internalError", 500),
        (.exited(71), "refused", 500), (.exited(74), "journal", 500), (.exited(75), "busy", 409),
        (.exited(77), "notPermitted", 403), (.killed(9), "internalError", 500), (.late(.seconds(40)), "late", 500),
    ])
    func namesTheKindOfAFailureByTheExitStatus(end: CommandOutcome.End, kind: String, status: Int) {
        let answer = Self.outcome("linkcond: no\n", end).answer()
        #expect(answer.status == status)
        #expect(answer.body?["kind"].flatMap { String(json: $0) } == kind)
        #expect(answer.body?["error"].flatMap { String(json: $0) } == "no")
    }

    @Test(arguments: [
        (CommandOutcome.End.exited(127), "linkcond cannot be started"),
        (.exited(3), "linkcond apply ended with status 3"),
        (.killed(9), "linkcond apply was ended by signal 9"),
        (.late(.seconds(40)), "linkcond apply was ended, since it took longer than 40 s"),
    ])
    func saysHowACommandEndedThatSaidNothing(end: CommandOutcome.End, problem: String) {
        #expect(Self.outcome("", end).problem == problem)
    }
}
