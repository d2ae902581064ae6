// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct ProfileNameTests {
    @Test(arguments: [
        ("Slow Net", "slownet"), ("slow-net", "slownet"), ("SLOW_NET", "slownet"), ("  Slow  Net ", "slownet"),
        ("Wi-Fi 802.11ac", "wifi802.11ac"), ("100% Loss", "100%loss"), ("LTE+", "lte+"), ("Сеть 3G", "сеть3g"),
        ("3G, Lossy Network", "3glossynetwork"), ("", ""),
    ])
    func ignoresCaseSpacesAndPunctuation(name: String, normalized: String) {
        #expect(Profile.normalized(name) == normalized)
    }

    @Test func distinguishesNamesThatDifferInMore() {
        #expect(Profile.normalized("LTE") != Profile.normalized("LTE+"))
        #expect(Profile.normalized("100 Loss") != Profile.normalized("100% Loss"))
        #expect(Profile.normalized("802.11ac") != Profile.normalized("80211ac"))
    }

    private func issues(name: String) -> [String] {
        do {
            _ = try Profile(utf8: JSON(("name", JSON(stringLiteral: name))).line.utf8)
            return []
        } catch {
            return error.issues.map(\.problem)
        }
    }

    @Test(arguments: ["A", "3", "Медленная сеть", "網", "a.json.b", String(repeating: "n", count: 100)])
    func acceptsWhatHasALetterOrADigit(name: String) {
        #expect(issues(name: name).isEmpty)
    }

    @Test(arguments: ["", " ", "-", ".", "…", "🐌"])
    func refusesWhatHasNeither(name: String) {
        #expect(issues(name: name) == ["the name has no letter and no digit"])
    }

    @Test(arguments: ["a/b", "/a", "slow-net.json"])
    func refusesWhatWouldBeTakenForAPath(name: String) {
        #expect(issues(name: name) == ["a name with \"/\", or ending in \".json\", would be taken for a path"])
    }

    @Test(arguments: [
        "a\nb", "a\u{1B}[31m", "a\u{7F}", "a\u{9B}", "a\u{2028}", "a\u{202E}b", "a\u{2066}b", "a\u{0}", "a\u{200E}",
        "a\u{200F}", "a\u{61C}",
    ])
    func refusesWhatMovesATerminal(name: String) {
        #expect(issues(name: name) == ["the name contains a control character"])
    }

    @Test func refusesMoreThanAHundredCharacters() {
        #expect(issues(name: String(repeating: "n", count: 101)) == ["the name is longer than 100 characters"])
    }
}
