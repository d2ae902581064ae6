// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

@Suite struct CoverageSectionTests {
    private func text(_ coverage: Coverage) -> String { CoverageSection(coverage: coverage).markup.document }

    /// A bar for the population and each network: 76 % survive; 3G is 25 of the 60 % of LTE, and 12 of 20 survive.
    @Test func fillsABarForEachNetworkByWhatSurvives() {
        let text = text(CoverageTests.whole)
        #expect(text.matches(of: /class="period" x="0%"/).count == 5)
        #expect(text.contains(#"class="share" x="0%" y="18" width="76%""#))
        #expect(text.contains(#"class="share" x="0%" y="60" width="25%""#))
        #expect(text.contains(#"class="drop" x="25%" y="64" width="16.6667%""#))
        #expect(text.contains(">25 %: 12 of 20</text>"))
        #expect(text.contains("<title>95 % interval: "))
        #expect(text.contains("Survives 76 % of Ours (95 % interval: ") && text.contains("Shares: judgement"))
    }

    @Test func leavesNetworksWithoutADecidedRunEmpty() {
        let text = text(CoverageTests.partial)
        #expect(text.contains(">25 %: no decided run</text>"))
        #expect(text.contains(#"class="share" x="0%" y="18" width="61%""#))
        #expect(text.contains(#"class="drop" x="96%" y="22" width="4%""#))
    }

    /// At 390 pixels, a name of more than 24 columns would touch the figures.
    @Test func shortensLongNamesAndEscapesThem() {
        var population = CoverageTests.population
        population.networks[0].profile = "A network with a very long name & more"
        population.networks[1].profile = "网络名称很长的一个网络名称很长"
        let text = text(Coverage(population, results: []))
        #expect(text.contains(">A network wi…name &amp; more<title>A network with a very long name &amp; more</title>"))
        #expect(text.contains(">网络名称很长…络名称很长<title>"))
    }

    @Test func drawsTheNetworksThatCostMostIfThereAreMany() {
        let networks = (1...100).map { number in
            Population.Network(profile: LocatedText(stringLiteral: "N\(number)"), share: Probability(fraction: 0.01))
        }
        let population = Population(name: "Many", networks: networks)
        let results = networks.map { ($0.profile.text, $0.profile.text == "N77" ? 0 : 2, 2) }
        let text = text(Coverage(population, results: results))
        #expect(text.contains(#"height="1402""#))
        let names = text.matches(of: />(N\d+)</).map { String($0.1) }
        #expect(names.prefix(3) == ["N77", "N1", "N2"])
        #expect(text.matches(of: /<th scope="row">/).count == 100)
    }
}
