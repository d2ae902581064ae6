// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileFormats
import SandboxClient
import TestKit
import Testing

@testable import LinkPane

/// The archive of a run, whose supervisor's answers are prepared.
@Suite struct RunArchiveTests {
    private let files: TemporaryDirectory
    private let supervisor: ScriptedSupervisor
    private let resource: ArchiveResource

    init() throws {
        files = try TemporaryDirectory()
        supervisor = try ScriptedSupervisor(in: files)
        supervisor.script["GET /v1/scenario"] = (200, #"{"name": "Repeated", "profile": "LTE"}"#)
        supervisor.script["GET /v1/run"] = (
            200, #"{"seed": 7, "command": ["sh", "-c", "it's"], "repeat": ["--offline"], "marks": []}"#
        )
        supervisor.script["GET /v1/capture"] = (200, "packets")
        resource = ArchiveResource(ControlClient(path: supervisor.path, limit: 5), version: "1.2.3")
    }

    private func archive() throws -> TarArchive {
        let file = try #require(resource.file(PaneRequest("GET", "/v1/archive")))
        #expect(file.type == "application/x-tar" && file.name == "linkcond-run.tar")
        return try TarArchive(file.content)
    }

    private func text(_ name: String, of archive: TarArchive) -> String {
        String(decoding: archive[name] ?? [], as: UTF8.self)
    }

    @Test func holdsWhatRepeatsTheRun() throws {
        let archive = try archive()
        let scenario = try Scenario(utf8: try #require(archive[RunArchive.scenario]))
        #expect(scenario.name == "Repeated")
        let line = "linkcond run --scenario linkcond-run.tar --offline --seed 7 -- sh -c 'it'\\''s'\n"
        #expect(text("command.txt", of: archive) == line)
        #expect(text("capture.pcapng", of: archive) == "packets")
        #expect(text("README.txt", of: archive).contains("capture.pcapng  the packets"))
    }

    @Test func saysWhyThePacketsAreLeftOut() throws {
        supervisor.script["GET /v1/capture"] = (404, #"{"error": "this run is not observed", "kind": "notObserved"}"#)
        let archive = try archive()
        #expect(archive["capture.pcapng"] == nil)
        #expect(text("README.txt", of: archive).contains("this run is not observed"))
    }

    @Test func refusesWithTheSupervisorsReason() throws {
        supervisor.script["GET /v1/scenario"] = (422, #"{"error": "x plays a recording", "kind": "unsupported"}"#)
        #expect(resource.file(PaneRequest("GET", "/v1/archive")) == nil)
        let answer = try #require(resource.answer(PaneRequest("GET", "/v1/archive")))
        #expect(answer.status == 422 && answer.body?.required("error") == "x plays a recording")
        #expect(resource.answer(PaneRequest("POST", "/v1/archive"))?.status == 405)
        #expect(resource.answer(PaneRequest("GET", "/v1/live")) == nil)
        supervisor.end()
        #expect(resource.answer(PaneRequest("GET", "/v1/archive"))?.status == 404)
    }
}
