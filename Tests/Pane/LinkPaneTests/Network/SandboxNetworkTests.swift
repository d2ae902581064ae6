// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import SandboxClient
import TestKit
import Testing

@testable import LinkPane

/// The pane of a run, whose supervisor's answers are prepared.
@Suite struct SandboxNetworkTests {
    private let files: TemporaryDirectory
    private let supervisor: ScriptedSupervisor
    private let network: SandboxNetwork

    init() throws {
        files = try TemporaryDirectory()
        supervisor = try ScriptedSupervisor(in: files)
        supervisor.script["GET /v1/status"] = (200, Self.status)
        supervisor.script["GET /v1/interfaces"] = (200, #"{"interfaces": [{"name": "lo", "up": true}]}"#)
        supervisor.script["GET /v1/run"] = (200, #"{"profile": "LTE", "began": 5, "now": 7, "verdicts": []}"#)
        network = try SandboxNetwork(socket: supervisor.path)
    }

    private static let status = """
        { "sandbox": { "profile": "LTE", "pid": 4711 }, "leftovers": [], "suspended": [], "devices": [{
          "interface": "eth0", "index": 2, "leftovers": [], "danglingFilters": [],
          "rules": [{ "rule": 1, "profile": "LTE", "traffic": "everything", "engine": "userspace", "lanes": [] }]
        }] }
        """

    /// The live text once `condition` holds.
    private func live(when condition: (JSON) -> Bool) throws -> JSON {
        var live = JSON()
        let hasCome = try HangLimit.waits {
            live = try JSON(utf8: network.text())
            return condition(live)
        }
        #expect(hasCome, "\(live.line)")
        return live
    }

    private func elements(_ json: JSON?) -> [JSON] {
        if case .array(let elements)? = json?.value { elements } else { [] }
    }

    @Test func showsWhatTheSupervisorTells() throws {
        let live = try live { $0["run"] != nil && !elements($0["rules"]).isEmpty }
        #expect(live["problem"] == nil)
        #expect(live["run"]?.required("profile") == "LTE")
        #expect(elements(live["interfaces"]).first?.required("name") == "lo")
        let rule = try #require(elements(live["rules"]).first)
        #expect(rule.required("id") == "eth0#1" && rule.required("everything") == true)
        #expect(network.answer(PaneRequest("GET", "/v1/run"))?.body?.required("profile") == "LTE")
        #expect(network.answer(PaneRequest("DELETE", "/v1/run"))?.status == 405)
        #expect(network.answer(PaneRequest("GET", "/v1/profiles")) == nil)
    }

    @Test func saysAProblemAndGoesOn() throws {
        _ = try live { $0["run"] != nil && !elements($0["rules"]).isEmpty }
        supervisor.script.failAll(500, #"{"error": "no room", "kind": "refused"}"#)
        let failed = try live { $0["problem"] != nil }
        #expect(failed["problem"]?.required("error") == "no room")
        #expect(failed["problem"]?["rulesUnknown"] == nil)
        #expect(elements(failed["rules"]).count == 1)
        supervisor.script["GET /v1/status"] = (200, Self.status)
        supervisor.script["GET /v1/run"] = (200, #"{"profile": "3G"}"#)
        supervisor.script["GET /v1/interfaces"] = (200, "{}")
        let again = try live { $0["run"]?.required("profile") == "3G" }
        #expect(again["problem"] == nil)
    }

    @Test func keepsTheLastStateOfARunThatHasEnded() throws {
        _ = try live { $0["run"] != nil && !elements($0["rules"]).isEmpty }
        supervisor.end()
        let live = try live { $0["run"]?["ended"] != nil }
        #expect(live["run"]?.required("profile") == "LTE")
        #expect(live["problem"] == nil)
        #expect(elements(live["rules"]).isEmpty)
    }
}
