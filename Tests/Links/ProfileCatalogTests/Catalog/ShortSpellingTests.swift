// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

@Suite struct ShortSpellingTests {
    @Test(arguments: [
        ("Slow Net", "slow-net"), ("Wi-Fi 802.11ac", "wi-fi-802.11ac"), ("100% Loss", "100%-loss"), ("3G", "3g"),
        ("RMCAT 5.1 Variable Capacity", "rmcat-5.1-variable-capacity"),
        ("In-Flight Air-to-Ground", "in-flight-air-to-ground"),
    ])
    func needsNoQuotes(name: String, short: String) {
        #expect(Catalog.shortSpelling(of: name) == short)
    }

    @Test func findsEachProfileAgain() throws {
        let catalog = Catalog(directories: [])
        for loaded in catalog.all().profiles {
            let short = Catalog.shortSpelling(of: loaded.profile.name)
            #expect(try catalog.profile(short).profile.name == loaded.profile.name)
        }
    }
}
