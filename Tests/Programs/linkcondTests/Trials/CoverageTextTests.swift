// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Reports
import Testing

@testable import linkcond

@Suite struct CoverageTextTests {
    private let population = Population(
        name: "Ours",
        networks: [("LTE", 0.6), ("Edge", 0.4)].map {
            .init(profile: LocatedText(stringLiteral: $0), share: Probability(fraction: $1))
        }
    )

    @Test func tabulatesTheNetworksThatCostSomething() {
        let lines = Coverage(population, results: [("LTE", 1, 1), ("Edge", 0, 1)]).lines.map(\.text)
        #expect(
            lines == [
                "survives 60 % of Ours; no interval, since no network has two decided runs",
                "  LOST  SHARE  NETWORK  SURVIVED", "  40 %  40 %   Edge     0 of 1",
            ]
        )
    }

    @Test func isOneLineIfNothingIsLost() {
        let lines = Coverage(population, results: [("LTE", 9, 9), ("Edge", 9, 9)]).lines.map(\.text)
        #expect(lines.count == 1 && lines[0].hasPrefix("survives 100 % of Ours (95 % interval: "))
    }
}
