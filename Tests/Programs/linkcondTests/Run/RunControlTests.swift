// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The control socket, used by an independent client in the sandbox.
@Suite(.enabled(if: Kernel.hasSandboxes, "needs namespaces for network and mounts"))
struct RunControlTests {
    /// Runs Python inside a sandbox and gives what it prints.
    private static func talk(_ caller: Caller, _ body: String) throws -> [Substring] {
        let outcome = try Program.start(try Installation(for: caller).wrapping(ControlTalk.command(body)))
        try outcome.requireSuccess()
        return outcome.lines
    }

    @Test(arguments: Caller.all)
    func tellsTheState(caller: Caller) throws {
        let lines = try Self.talk(caller, #"print(*ask("GET", "/v1/status"))"#)
        #expect(lines.count == 1)
        #expect(lines[0].hasPrefix("200 {"))
    }

    @Test(
        arguments: Caller.all,
        [
            ("''", "400 badRequest"), ("'  '", "400 badRequest"), ("'/etc/passwd'", "400 badRequest"),
            ("'own.json'", "400 badRequest"), ("'-'", "400 badRequest"), ("'../Slow Net'", "400 badRequest"),
            ("'No Such'", "404 unknownProfile"), ("'\"No Such\"'", "404 unknownProfile"),
            ("'\"open'", "400 badRequest"),
            ("'[]'", "404 unknownProfile"), ("'{'", "422 badProfile"), ("'{}'", "422 badProfile"),
            (#"'{"name": "x", "nonsense": 1}'"#, "422 badProfile"), ("bytes([255, 254, 0, 10])", "404 unknownProfile"),
            ("'x' * 20000000", "400 badRequest"), ("'{' * 100000", "422 badProfile"),
        ]
    )
    func refusesWhatIsNoProfile(caller: Caller, request: (body: String, answer: Substring)) throws {
        let lines = try Self.talk(caller, "refusesWhatIsNoProfile(\(request.body))")
        #expect(lines == [request.answer, "True", "200"])
    }

    @Test(arguments: [
        ("DELETE", "/v1/conditions", 405), ("PUT", "/v1/status", 405), ("POST", "/v1/conditions", 405),
        ("GET", "/v1/marks", 405), ("PUT", "/v1/events", 405),
        ("GET", "/", 404), ("GET", "/v1/status/", 404), ("GET", "/v1/status?x=1", 200), ("DELETE", "/v2/status", 404),
    ])
    func knowsItsResources(method: String, path: String, status: Int) throws {
        #expect(try Self.talk(.tester, "print(ask('\(method)', '\(path)')[0])") == ["\(status)"])
    }

    /// Lanes drain for ten seconds at most.
    @Test(.enabled(if: Kernel.canPump, "needs /dev/net/tun"))
    func answersWhileLanesDrain() throws {
        let lines = try Self.talk(.tester, "answersWhileLanesDrain()")
        if lines.contains(where: { $0.hasSuffix(" late") }) { try endInconclusively("8 s for four requests: \(lines)") }
        #expect(
            lines == [
                "200", "200 away before", "200  before", "200  before", "200 Free before", "200 back x", "Near",
            ]
        )
    }

    @Test(.enabled(if: Kernel.canPump, "needs /dev/net/tun"), arguments: Caller.all)
    func tellsTheProcessesOfConnections(caller: Caller) throws {
        let lines = try Self.talk(caller, "tellsTheProcessesOfConnections()")
        #expect(lines == ["200", "0", "tcp this open", "udp this -", "tcp this closed", "udp this -"])
    }

    /// The recording lies where only the user who started the sandbox could have read it.
    @Test(.enabled(if: Kernel.canPump, "needs /dev/net/tun"))
    func refusesWhatTheEngineCannotDo() throws {
        let lines = try Self.talk(.tester, "refusesWhatTheEngineCannotDo()")
        #expect(lines == ["422 unsupported"])
    }

    /// Each datagram waits for its opportunity, which comes every 100 ms.
    @Test(.enabled(if: Kernel.canPump, "needs /dev/net/tun"))
    func carriesARecordingThatIsSent() throws {
        let lines = try Self.talk(.tester, "carriesARecordingThatIsSent()")
        #expect(lines == ["200", "slow", "200", "fast", "200", "slow", "200", "fast", "0", "slow", "422 badProfile"])
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to become nobody"))
    func refusesOtherUsers() throws {
        let installation = try Installation(for: .tester)
        let command = installation.wrapping(Caller.nobody.words + ControlTalk.command("cannotConnect()"))
        #expect(try Program.start(command).output == "Permission denied\n")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to become nobody"))
    func tellsOtherUsersWhy() throws {
        let user = try Installation(for: .nobody)
        let command = user.caller.words + [user.path, "switch", "Slow Net"]
        let outcome = try Program.start(try Installation(for: .tester).wrapping(command))
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.errors.contains("this is another user's sandbox"), "\(outcome)")
    }

    /// Root's sandbox for another user: that user and root may change it.
    @Test(.enabled(if: Kernel.isRoot, "needs root, to become nobody"))
    func servesTheCommandsUser() throws {
        let command = ControlTalk.command(#"print(ask("GET", "/v1/status")[0], os.getuid())"#)
        let wrapped = try Installation(for: .tester).wrapping(command, options: ["--user", "nobody"])
        #expect(try Program.start(wrapped).output == "200 65534\n")
    }

    @Test(arguments: Caller.all)
    func keepsTheLatestOfTooManyConnections(caller: Caller) throws {
        #expect(try Self.talk(caller, "keepsTheLatestOfTooManyConnections()") == ["200", "255", "True"])
    }

    @Test(arguments: Caller.all)
    func endsIdleConnections(caller: Caller) throws {
        let lines = try Self.talk(caller, "endsIdleConnections()")
        if lines == ["late", "True"] { try endInconclusively("more than 14 s") }
        #expect(lines == ["in time", "True"])
    }

    /// Root reads no directory for another user's command.
    @Test(.enabled(if: Kernel.isRoot, "needs root, to become nobody"))
    func findsOnlyBuiltInProfilesForAnotherUser() throws {
        let files = try TemporaryDirectory()
        _ = try files.write("mine.json", #"{"name": "Mine", "uplink": {"delay": "1 ms"}}"#)
        let installation = try Installation(for: .tester)
        for (options, kind) in [([], "unsupported"), (["--user", "nobody"], "unknownProfile")] as [([String], String)] {
            let body = #"answer = ask("PUT", "/v1/conditions", "Mine")[1]; print(answer.get("kind", "unsupported"))"#
            let options = options + ["--profile-path", files.path]
            let command = installation.wrapping(ControlTalk.command(body), options: options)
            #expect(try Program.start(command).output == "\(kind)\n")
        }
    }

    @Test(arguments: Caller.all)
    func answersAsOftenAsAsked(caller: Caller) throws {
        let lines = try Self.talk(caller, "answersAsOftenAsAsked()")
        #expect(lines == ["200 True", "200 True", "200 True", "3"])
    }

    @Test(arguments: Caller.all)
    func outlivesBadClients(caller: Caller) throws {
        let lines = try Self.talk(caller, "outlivesBadClients()")
        #expect(lines == ["200"])
    }
}
