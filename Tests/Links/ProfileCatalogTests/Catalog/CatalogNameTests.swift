// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

@Suite struct CatalogNameTests {
    private let builtIn = Catalog(directories: [])

    @Test(arguments: [
        ("nasty-net", "Nasty Net"), ("SLOWNET", "Slow Net"), ("slow_net", "Slow Net"), (" Black  Hole ", "Black Hole"),
        ("wifi", "Wi-Fi"), ("WI-FI 802.11AC", "Wi-Fi 802.11ac"), ("100%loss", "100% Loss"), ("3g", "3G"),
        ("very-bad-network", "Very Bad Network"),
    ])
    func ignoresCaseSpacesAndDashes(word: String, name: String) throws {
        #expect(try builtIn.profile(word).profile.name == name)
    }

    @Test(arguments: [
        ("Slow Nte", "Slow Net"), ("nastynet2", "Nasty Net"), ("blackhole!!", nil), ("Blak Hole", "Black Hole"),
        ("zzzzzzzzzz", nil), ("Slow", "Slow Net"), ("very", "Very Bad Network"), ("wlan", "Wi-Fi"),
        ("offline", "Black Hole"),
    ])
    func suggestsTheNearestName(word: String, nearest: String?) {
        // Punctuation does not count, so "blackhole!!" is found.
        let error = CatalogError.thrown { () throws(CatalogError) in try builtIn.profile(word) }
        guard case .unknownName(let name, let suggestion) = error else {
            #expect(error == nil && nearest == nil)
            return
        }
        #expect(name == word)
        #expect(suggestion == nearest)
    }

    @Test func saysWhatWasMeant() {
        let error = CatalogError.thrown { () throws(CatalogError) in try builtIn.profile("Slow Nte") }
        #expect(error.map { "\($0)" } == "no profile is called \"Slow Nte\"; did you mean \"Slow Net\"?")
        let other = CatalogError.thrown { () throws(CatalogError) in try builtIn.profile("zzzzzzzzzz") }
        #expect(other.map { "\($0)" } == "no profile is called \"zzzzzzzzzz\"")
    }

    @Test func tellsScenariosAndProfilesApart() throws {
        let scenario = CatalogError.thrown { () throws(CatalogError) in try builtIn.profile("nat-rebinding") }
        #expect(scenario.map { "\($0)" } == "\"nat-rebinding\" is a scenario, not a profile")
        let profile = CatalogError.thrown { () throws(CatalogError) in
            try LoadedScenario.read(path: "lift", catalog: builtIn)
        }
        #expect(profile.map { "\($0)" } == "\"lift\" is a profile, not a scenario")
        let neither = CatalogError.thrown { () throws(CatalogError) in
            try LoadedScenario.read(path: "nat-rebindng", catalog: builtIn)
        }
        #expect(neither.map { "\($0)" }?.contains("did you mean \"NAT Rebinding\"?") == true, "\(neither as Any)")
    }

    @Test func suggestsNamesFromDirectoriesToo() throws {
        let directory = try TemporaryDirectory()
        try directory.writeProfile("Office Basement", summary: "own", to: "office.json")
        let catalog = Catalog(directories: [directory.path])
        let error = CatalogError.thrown { () throws(CatalogError) in try catalog.profile("Offise Basement") }
        guard case .unknownName(_, let nearest) = error else {
            Issue.record("found: \(String(describing: error))")
            return
        }
        #expect(nearest == "Office Basement")
    }

    @Test(arguments: ["", "-- ", "  "])
    func findsNothingByNoName(word: String) {
        let error = CatalogError.thrown { () throws(CatalogError) in try builtIn.profile(word) }
        guard case .unknownName = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
