// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import ProfileCatalog
import Testing

@testable import Sandboxing

@Suite struct RunConditionsTests {
    private static let scenario = #"""
        {
            "name": "Lift", "profile": "LTE", "repeat": 2,
            "steps": [{ "label": "away", "after": { "mark": "left" }, "profile": "Black Hole" }]
        }
        """#

    @Test func usesOneSeedForTheStartAndEachStep() throws {
        let loaded = try LoadedScenario.received(utf8: Array(Self.scenario.utf8), catalog: Catalog(directories: []))
        var conditions = RunConditions(loaded) { RuleRequest(profile: $0.profile) }
        conditions.setSeed(7)
        #expect(conditions.requests.map(\.profile.name) == ["LTE", "Black Hole"])
        #expect(conditions.requests.map(\.seed) == [7, 7])
        #expect(conditions.scenario?.name == "Lift" && conditions.scenario?.repeat == 2)
    }

    @Test func knowsEachUplinkByItsName() throws {
        let text = #"""
            {
                "name": "Away", "paths": { "wifi0": "Wi-Fi", "cell0": "LTE" },
                "steps": [{ "label": "down", "after": "1 s", "path": "wifi0", "link": "down" }]
            }
            """#
        let loaded = try LoadedScenario.received(utf8: Array(text.utf8), catalog: Catalog(directories: []))
        var conditions = RunConditions(loaded) { RuleRequest(profile: $0.profile) }
        #expect(conditions.paths.map(\.name) == ["wifi0", "cell0"])
        #expect(conditions.profileName == "Wi-Fi on wifi0, LTE on cell0")
        #expect(conditions.scenario?.steps.map(\.profileName) == ["Wi-Fi on wifi0"])
        conditions.setSeed(7)
        #expect(conditions.requests.map(\.seed) == [7, 7, 7, 7])
        let sandbox = Sandbox(
            conditions,
            engine: nil,
            isOffline: false,
            hostPorts: HostPortChoice(ports: [], isEverything: false),
            log: nil,
            catalog: Catalog(directories: [])
        )
        #expect(sandbox.links.map(\.path) == ["lo", "wifi0", "cell0"])
        #expect(sandbox.links.map(\.devices) == [["lo"], ["wifi0"], ["cell0"]])
    }

    @Test func hasOneRequestWithoutAScenario() {
        var conditions = RunConditions(RuleRequest(profile: Profile(name: "Mine")))
        conditions.setSeed(7)
        #expect(conditions.requests.map(\.seed) == [7])
    }
}
