// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

@Suite struct CoverageTests {
    static let population = Population(
        name: "Ours",
        source: "judgement",
        networks: [("LTE", 0.6), ("3G", 0.25), ("Edge", 0.1), ("Slow Net", 0.05)].map {
            Population.Network(profile: LocatedText(stringLiteral: $0), share: Probability(fraction: $1))
        }
    )

    static let whole = Coverage(
        population,
        results: [("lte", 20, 20), ("3G", 12, 20), ("Edge", 0, 20), ("Slow Net", 4, 20), ("Another", 0, 20)]
    )
    /// 3G was inconclusive, Edge is in a shard that is missing.
    static let partial = Coverage(population, results: [("LTE", 20, 20), ("3G", 0, 0), ("Slow Net", 4, 20)])

    @Test func addsUpTheSharesThatSurvive() {
        let coverage = Self.whole
        #expect(abs(coverage.share.lowerBound - 0.76) < 1e-9)
        #expect(coverage.share.upperBound == coverage.share.lowerBound)
        #expect(coverage.isConclusive && coverage.undecided == 0)
        #expect(coverage.interval?.contains(0.76) == true)
        let width = coverage.interval.map { $0.upperBound - $0.lowerBound } ?? 1
        #expect((0.05...0.2).contains(width), "\(width)")
    }

    @Test func namesTheNetworksThatCostMostFirst() {
        #expect(Self.whole.costs.map(\.name) == ["3G", "Edge", "Slow Net"])
        #expect(Self.partial.costs.map(\.name) == ["Slow Net", "3G", "Edge"])
        #expect(
            Self.whole.rows()
                == [
                    ["10 %", "25 %", "3G", "12 of 20"], ["10 %", "10 %", "Edge", "0 of 20"],
                    ["4 %", "5 %", "Slow Net", "4 of 20"],
                ]
        )
        #expect(Self.whole.rows(limit: 1) == [["10 %", "25 %", "3G", "12 of 20"], ["14 %", "", "2 more", ""]])
    }

    /// Each may survive or not.
    @Test func givesBoundsForNetworksWithoutADecidedRun() {
        let coverage = Self.partial
        #expect(!coverage.isConclusive && abs(coverage.undecided - 0.35) < 1e-9)
        #expect(abs(coverage.share.lowerBound - 0.61) < 1e-9 && abs(coverage.share.upperBound - 0.96) < 1e-9)
        #expect(coverage.sentence.hasPrefix("survives at least 61 % and at most 96 % of Ours (95 % interval: "))
        #expect(coverage.sentence.hasSuffix("; inconclusive: 35 % of the population has no decided run"))
        #expect(coverage.rows().last == ["?", "10 %", "Edge", "no decided run"])
    }

    @Test func givesNoIntervalWhereNoNetworkRanTwice() {
        let results = [("LTE", 1, 1), ("3G", 0, 1), ("Edge", 1, 1), ("Slow Net", 1, 1)]
        let once = Coverage(Self.population, results: results)
        #expect(once.interval == nil)
        #expect(once.sentence == "survives 75 % of Ours; no interval, since no network has two decided runs")
        let none = Coverage(Self.population, results: [])
        #expect(none.interval == nil && none.costs.count == 4)
        #expect(
            none.sentence == "survives at least 0 % and at most 100 % of Ours; "
                + "inconclusive: 100 % of the population has no decided run"
        )
    }

    /// Three thirds of 33.3 % are all.
    @Test func countsRoundedSharesAsAll() {
        let thirds = Population(
            name: "Thirds",
            networks: ["LTE", "3G", "Edge"].map { .init(profile: $0, share: Probability(fraction: 0.333)) }
        )
        let coverage = Coverage(thirds, results: [("LTE", 5, 5), ("3G", 5, 5), ("Edge", 5, 5)])
        #expect(coverage.sentence.hasPrefix("survives 100 % of Thirds (95 % interval: "))
    }

    /// Only all is 100 %, and only nothing is 0 %.
    @Test(arguments: [(1, "100 %"), (0.9999, "99.9 %"), (0.0001, "0.1 %"), (0, "0 %"), (0.1234, "12.3 %")])
    func roundsSharesInside(share: Double, words: String) { #expect(share.percent == words) }

    @Test func isPropertiesOfJUnit() {
        #expect(Self.whole.properties.map(\.name) == ["population", "coverage", "coverage interval"])
        #expect(Self.whole.properties.prefix(2).map(\.value) == ["Ours", "76 %"])
        let partial = Self.partial.properties
        #expect(partial.map(\.name) == ["population", "coverage", "coverage interval", "coverage undecided"])
        #expect(partial[1].value == "61 % to 96 %" && partial[3].value == "35 %")
    }

    @Test func isAPartOfTheSummaryThatContainsNoMarkupOfNames() {
        var population = Self.population
        population.networks[1].profile = "3G | *slow*"
        let coverage = Coverage(population, results: [("LTE", 20, 20), ("3G | *slow*", 12, 20)])
        let lines = coverage.summary
        #expect(lines[0].hasPrefix("Survives at least 75 % and at most 90 % of Ours (95 % interval: "))
        #expect(lines[2...3] == ["| lost | share | network | survived |", "| --- | --- | --- | --- |"])
        #expect(lines.contains("| 10 % | 25 % | 3G \\| \\*slow\\* | 12 of 20 |"))
        #expect(lines.contains("Shares: judgement."))
    }

    @Test func isAMemberOfTheSummaryForPrograms() {
        let json = Self.partial.json
        #expect(json["population"]?.line == "\"Ours\"")
        #expect(json["atLeast"]?.line == "0.61" && json["atMost"]?.line == "0.96")
        #expect(json["undecided"]?.line == "0.35" && json["interval"]?["confidence"]?.line == "0.95")
        let networks = json["networks"].flatMap { if case .array(let elements) = $0.value { elements } else { nil } }
        #expect(networks?.count == 4)
        #expect(networks?[3]["lost"]?.line == "0.04" && networks?[1]["lost"] == nil)
        #expect(networks?[0].line.contains(#""survived": 20, "decided": 20"#) == true)
    }
}
