// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem
import SandboxClient
import TestKit
import Testing

@testable import LinkPane

/// With linkcond itself, which changes nothing here.
@Suite struct RuleResourceTests {
    private let resource: RuleResource

    init() throws {
        resource = RuleResource(try OwnProgram(Package.linkcond), port: 8080, needsRoot: false, changes: PaneChanges())
    }

    private func answer(
        _ method: String,
        _ body: String? = nil,
        at path: String = "/v1/rules",
        query: [String: String] = [:]
    ) throws -> ControlAPI.Answer? {
        resource.answer(PaneRequest(method, path, query: query, body: try body.map { try JSON(utf8: $0.utf8) }))
    }

    @Test(arguments: [
        (#""interface": "nosuch0", "profile": "3g""#, "cannot find the interface nosuch0: No such device", "interface"),
        (#""interface": "lo", "profile": "--all""#, #"no profile is called "--all""#, "profile"),
        (#""interface": "lo", "profile": """#, #"no profile is called """#, "profile"),
        (
            #""interface": "lo", "profile": "3g", "uplink": "loss=200%""#,
            #"$.uplink.loss: "200%" is too large; expected at most 100 %"#, "uplink.loss"
        ),
        (
            #""interface": "lo", "profile": "3g", "to": "-i""#,
            "--to -i is not an address, a network or a known host name", "to"
        ),
        (
            #""interface": "lo", "profile": "3g", "port": [80, 65536]"#,
            "--port 65536 is not a port from 1 to 65535", "port"
        ),
        (
            #""interface": "lo", "profile": "3g", "for": "-5""#,
            #"the value '-5' is invalid for '--for TIME': '-5' is not a time such as "90s" or "5m""#, "for"
        ),
        (
            #""interface": "lo", "profile": "3g", "engine": "best""#,
            "the value 'best' is invalid for '--engine ENGINE'; expected one of 'auto', 'netem' or 'userspace'",
            "engine"
        ),
    ])
    func saysWhatTheCommandLineSaysAtTheField(fields: String, message: String, field: String) throws {
        for flag in ["true", "false"] {
            let answer = try #require(try answer("POST", #"{ \#(fields), "dryRun": \#(flag) }"#))
            #expect(answer.status >= 400)
            #expect(answer.body?["error"].flatMap { String(json: $0) } == message)
            #expect(answer.body?["field"].flatMap { String(json: $0) } == field)
        }
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to try the kernel's features"))
    func offersTheLineWithWarningsBeforeItIsRun() throws {
        let answer = try #require(try answer("POST", #"{ "interface": "lo", "profile": "3g", "dryRun": true }"#))
        #expect(answer.status == 200, "\(answer.body?.line ?? "")")
        #expect(answer.body?["command"]?.line == #""linkcond apply 3g -i lo --exclude 'port 8080'""#)
        let warnings = answer.body?["warnings"].flatMap { [String](json: $0) }
        #expect(warnings?.first == "no time limit and no target: all traffic of lo until Reset")
    }

    @Test func saysWhichLineNeedsRoot() throws {
        let program = try OwnProgram(Package.linkcond)
        let resource = RuleResource(program, port: 8080, needsRoot: true, changes: PaneChanges())
        let body = try JSON(utf8: #"{ "interface": "nosuch0", "profile": "3g", "dryRun": true }"#.utf8)
        let answer = resource.answer(PaneRequest("POST", "/v1/rules", body: body))
        #expect(answer?.body?["command"]?.line == #""sudo linkcond apply 3g -i nosuch0""#)
    }

    @Test(arguments: [
        ("PUT", #"{ "profile": "3g", "to": "10.0.0.1" }"#, "to"), ("PUT", #"{ "profile": "3g", "for": "1m" }"#, "for"),
        ("DELETE", "{}", "rule"), ("POST", #"{ "rule": 1 }"#, "rule"),
    ])
    func refusesFieldsThatARequestDoesNotHave(method: String, body: String, field: String) throws {
        let answer = try #require(try answer(method, body))
        #expect(answer.status == 400)
        #expect(answer.body?["field"].flatMap { String(json: $0) } == field)
    }

    @Test func refusesOtherMethodsAndLeavesOtherPaths() throws {
        #expect(try answer("GET")?.status == 405)
        #expect(try answer("PUT", at: "/v1/off")?.allowed == "POST")
        #expect(try answer("GET", at: "/v1/live") == nil)
    }

    @Test func tellsOfCommandsThatMayHaveChangedSomething() throws {
        let changes = PaneChanges()
        let resource = RuleResource(try OwnProgram(Package.linkcond), port: 1, needsRoot: false, changes: changes)
        _ = resource.answer(PaneRequest("POST", "/v1/rules", body: try JSON(utf8: #"{ "dryRun": true }"#.utf8)))
        #expect(!changes.take())
        _ = resource.answer(PaneRequest("POST", "/v1/rules", body: JSON()))
        #expect(changes.take())
        #expect(!changes.take())
    }
}
