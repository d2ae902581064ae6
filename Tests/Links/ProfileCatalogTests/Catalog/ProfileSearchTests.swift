// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ProfileCatalog

@Suite struct ProfileSearchTests {
    private static let profiles = Catalog(directories: []).all().profiles

    private func found(_ words: String...) -> [String] {
        let search = ProfileSearch(words)
        return Self.profiles.filter(search.matches).map(\.profile.name)
    }

    @Test(arguments: [
        ("wifi", "Wi-Fi"), ("wlan", "Wi-Fi"), ("offline", "Black Hole"), ("offline", "100% Loss"), ("4G", "LTE"),
        ("5g", "Irish 5G Driving"), ("subway", "Lift"), ("metro", "HSDPA Train"), ("home", "Cable Modem"),
        ("office", "UDP Blocked"), ("plane", "In-Flight Satellite"), ("hotel", "Captive Portal"),
        ("airplane mode", "Black Hole"), ("vpn", "MTU Hole"), ("dial-up", "WebPageTest Dial"), ("slownet", "Slow Net"),
    ])
    func knowsOtherWords(word: String, name: String) {
        #expect(found(word).contains(name), "\(found(word))")
    }

    @Test func needsAllWords() {
        #expect(found("3g", "lossy") == ["3G Lossy", "BrowserStack 3G Lossy"])
        #expect(found("3g", "carrier pigeon").isEmpty)
    }

    /// The source of Starlink's figures has "presets".
    @Test(arguments: [("edge", "Handshake Stalled"), ("reset", "Starlink"), ("5g", "Loadero 3.5G")])
    func findsWordsAtTheirBeginning(word: String, name: String) {
        #expect(!found(word).contains(name), "\(found(word))")
        #expect(found("reset").contains("Reset By Middlebox") && found("useyourloaf").contains("Slow Net"))
    }

    @Test func findsNoShortWordInsideOfAnother() {
        let names = found("lte")
        #expect(names.contains("Firefox Regular 4G LTE") && !names.contains("MTU Hole"), "\(names)")
    }

    /// A synonym that finds nothing misleads, and so does a word for which no profile is left.
    @Test func hasNoSynonymWithoutAProfile() {
        for (word, others) in ProfileSearch.synonyms {
            for other in others {
                #expect(
                    Self.profiles.contains { loaded in
                        let title = "\(loaded.profile.name)\n\(loaded.profile.summary ?? "")".lowercased()
                        return title.contains(other)
                    } || Catalog.isScenarioName(other),
                    "\(word): \(other)"
                )
            }
        }
    }
}
