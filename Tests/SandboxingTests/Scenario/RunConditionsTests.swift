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

    @Test func hasOneRequestWithoutAScenario() {
        var conditions = RunConditions(RuleRequest(profile: Profile(name: "Mine")))
        conditions.setSeed(7)
        #expect(conditions.requests.map(\.seed) == [7])
    }
}
