// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ProfileCatalog

@Suite struct LoadedPopulationTests {
    private let directory: TemporaryDirectory
    private let catalog: Catalog

    init() throws {
        directory = try TemporaryDirectory()
        catalog = Catalog(directories: [try directory.makeDirectory("profiles")])
    }

    private func read(_ networks: String) throws(CatalogError) -> LoadedPopulation {
        let path = try? directory.write("{ \"name\": \"Some\", \"networks\": [\(networks)] }", to: "some.json")
        return try LoadedPopulation.read(path: path ?? "", catalog: catalog)
    }

    private func mistakes(_ networks: String) -> [String] {
        let error = CatalogError.thrown { () throws(CatalogError) in try read(networks) }
        // Without file, line and column.
        return (error?.description ?? "").split(separator: "\n").map { line in
            line.firstRange(of: ": $.").map { String(line[$0.upperBound...]) } ?? String(line)
        }
    }

    @Test func namesNetworksAsTheirFilesDo() throws {
        try directory.writeProfile("Other", summary: "beside", to: "other.json")
        try directory.write(#"{ "name": "Lift", "profile": "3G" }"#, to: "lift.json")
        let loaded = try read(
            """
            { "profile": "slow-net", "share": "40 %" }, { "profile": "other.json", "share": "30 %" },
            { "profile": "lift.json", "share": "20 %" }, { "profile": "nat-rebinding", "share": "10 %" }
            """
        )
        #expect(loaded.population.networks.map(\.profile.text) == ["Slow Net", "Other", "Lift", "NAT Rebinding"])
        let path = directory.path
        #expect(loaded.words == ["slow-net", "\(path)/other.json", "\(path)/lift.json", "nat-rebinding"])
        #expect(loaded.profiles.map(\.profile.name) == ["Slow Net", "Other", "3G", "DSL", "DSL"])
    }

    @Test func refusesUnknownNetworksAtTheirPlaceWithTheNearestName() throws {
        let found = mistakes(
            """
            { "profile": "3H", "share": "40 %" }, { "profile": "NAT Rebindin", "share": "50 %" },
            { "profile": "gone.json", "share": "5 %" }
            """
        )
        try #require(found.count == 4, "\(found)")
        #expect(found[0].hasPrefix("networks: the shares add up to 95 %, 5 % less than 100 %"))
        #expect(found[1] == #"networks[0].profile: no profile is called "3H"; did you mean "3G"?"#)
        #expect(found[2].hasSuffix(#"no profile is called "NAT Rebindin"; did you mean "NAT Rebinding"?"#))
        #expect(found[3].hasPrefix("networks[2].profile: cannot use this profile: cannot read"))
    }

    /// Two files may have one name, by which results are told apart.
    @Test func refusesTwoFilesOfOneName() throws {
        try directory.writeProfile("LTE", summary: "mine", to: "mine.json")
        let found = mistakes(#"{ "profile": "LTE", "share": "40 %" }, { "profile": "mine.json", "share": "60 %" }"#)
        #expect(found == [#"networks[1].profile: "LTE" is $.networks[0].profile, too"#])
    }

    /// A population may not contain others, or itself.
    @Test func refusesAPopulationAsANetwork() {
        let found = mistakes(#"{ "profile": "some.json", "share": "100 %" }"#)
        #expect(found.count == 1 && found.contains { $0.contains("this is a population") }, "\(found)")
    }

    @Test func findsTheBuiltInPopulationsByName() throws {
        #expect(Catalog.populationNames == ["G1050 A", "G1050 B", "G1050 C", "UK Mobile 2024"])
        #expect(ProfilesDirectory.populations.sorted() == BuiltInPopulations.all.map(\.json).sorted())
        let loaded = try LoadedPopulation.read(path: "uk-mobile-2024", catalog: Catalog(directories: []))
        #expect(loaded.origin == .builtIn && loaded.population.source?.contains("judgement") == true)
        #expect(loaded.words == loaded.population.networks.map(\.profile.text))
        #expect(throws: CatalogError.self) { try catalog.profile("uk-mobile-2024") }
        guard case .population = try LoadedFile.read(path: "uk-mobile-2024", catalog: catalog) else {
            Issue.record("not read as a population")
            return
        }
    }

    /// The likelihoods of severities; those of B add up to 95 % in the source, and are scaled.
    @Test(arguments: [
        ("g1050-a", [50, 30, 15, 5]), ("g1050-b", [5.3, 26.3, 31.6, 26.3, 10.5]),
        ("g1050-c", [5, 5, 10, 15, 20, 25, 15, 5]),
    ])
    func hasTheSharesOfServiceProfiles(name: String, percents: [Double]) throws {
        let loaded = try LoadedPopulation.read(path: name, catalog: Catalog(directories: []))
        let networks = loaded.population.networks
        #expect(networks.map(\.profile.text) == "ABCDEFGH".prefix(percents.count).map { "G1050 Severity \($0)" })
        #expect(zip(networks, percents).allSatisfy { abs($0.share.fraction * 100 - $1) < 1e-9 })
    }

    @Test func saysWhichNamesArePopulations() {
        let unknown = CatalogError.thrown { () throws(CatalogError) in
            try LoadedPopulation.read(path: "uk-mobile-2023", catalog: catalog)
        }
        #expect(
            unknown.map { "\($0)" }
                == "no population and no file is called \"uk-mobile-2023\"; did you mean \"UK Mobile 2024\"?"
        )
        let profile = CatalogError.thrown { () throws(CatalogError) in try catalog.profile("uk-mobile-2024") }
        #expect(profile.map { "\($0)" } == "\"uk-mobile-2024\" is a population, not a profile")
    }
}
