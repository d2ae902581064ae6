// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import SandboxClient
import TestKit
import Testing

@testable import LinkPane

/// Changes of a run from the page, with a program that does nothing.
@Suite struct SandboxChangesTests {
    private let files: TemporaryDirectory
    private let supervisor: ScriptedSupervisor
    private let changes: SandboxChanges

    init() throws {
        files = try TemporaryDirectory()
        supervisor = try ScriptedSupervisor(in: files)
        supervisor.script["GET /v1/status"] = (
            200, #"{"sandbox": {"pid": 4711, "paths": ["lo", "wifi0"]}, "devices": [], "leftovers": []}"#
        )
        let client = ControlClient(path: supervisor.path, limit: 5)
        changes = SandboxChanges(try OwnProgram("/bin/true"), client)
    }

    @Test(arguments: [
        ("/v1/rules", #"{"profile": "3G"}"#, "switch 3G"),
        ("/v1/rules", #"{"profile": "3G", "downlink": "rate=1 Mbit/s"}"#, "switch 3G --downlink 'rate=1 Mbit/s'"),
        ("/v1/rules", #"{"profile": "3G", "interface": "wifi0"}"#, "switch 3G -i wifi0"),
        // It would be an interface of this machine.
        ("/v1/rules", #"{"profile": "3G", "interface": "eth0"}"#, "switch 3G"),
        ("/v1/off", "{}", "off"), ("/v1/off", #"{"interface": "eth0"}"#, "off"), ("/v1/on", "{}", "on"),
        ("/v1/reset", "{}", "reset"), ("/v1/marks", #"{"name": "a b"}"#, "mark 'a b'"),
    ])
    func areCommands(path: String, body: String, line: String) throws {
        let answer = changes.answer(PaneRequest("POST", path, body: try JSON(utf8: Array(body.utf8))))
        #expect(answer?.body?.required("command") == "linkcond \(line)", "\(answer?.body?.line ?? "")")
    }

    @Test(arguments: ["to", "port", "exclude", "for", "container", "engine"])
    func refuseWhatOnlyTheRunHas(field: String) throws {
        let body = try JSON(utf8: Array("{\"profile\": \"3G\", \"\(field)\": \"1\"}".utf8))
        let answer = changes.answer(PaneRequest("POST", "/v1/rules", body: body))
        #expect(answer?.status == 400 && answer?.body?.required("field") == field)
    }

    @Test func onlyTellTheLineInADryRun() throws {
        let body = try JSON(utf8: Array(#"{"profile": "3G", "dryRun": true}"#.utf8))
        let answer = changes.answer(PaneRequest("POST", "/v1/rules", body: body))
        #expect(answer?.status == 200 && answer?.body?.required("command") == "linkcond switch 3G")
    }
}
