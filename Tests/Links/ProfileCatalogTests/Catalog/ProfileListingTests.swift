// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

@Suite struct ProfileListingTests {
    private let listing = ProfileListing(Catalog(directories: []).all().profiles)

    private func listed(_ name: String) -> ListedProfile? { listing.profiles.first { $0.loaded.profile.name == name } }

    @Test func startsWithEightProfilesFromMildToDead() {
        let names = [
            "Wi-Fi", "Starlink", "LTE", "3G", "Edge", "Very Bad Network", "Slow Net", "Black Hole",
        ]
        #expect(listing.start.map(\.loaded.profile.name) == names)
        #expect(listing.profiles.prefix(8).map(\.loaded.profile.name) == names)
        #expect(listing.start.allSatisfy { $0.loaded.recommendation?.likeness.isEmpty == false })
    }

    @Test(arguments: [
        ("3G", ["3G Average", "ATC 3G Average"]), ("Edge", ["Edge Average", "ATC Edge Average"]),
        ("DSL", ["ATC DSL"]), ("WebPageTest 4G Fast", ["Lighthouse Desktop Dense 4G"]), ("LTE", []),
    ])
    func listsEqualFiguresOnce(name: String, others: [String]) {
        #expect(listed(name)?.otherNames == others)
        for other in others { #expect(listed(other) == nil) }
    }

    @Test func losesNoProfile() {
        let all = Catalog(directories: []).all().profiles.map(\.profile.name)
        #expect(listing.profiles.flatMap { [$0.loaded.profile.name] + $0.otherNames }.sorted() == all.sorted())
        let byOrigin = ProfileListing.byOrigin(listing.profiles)
        #expect(byOrigin.flatMap(\.profiles).count == listing.profiles.count)
    }

    @Test(arguments: [
        ("Slow Net", "Apple's Network Link Conditioner"), ("Chrome Slow 4G", "Chrome DevTools"),
        ("MTU Hole", "Broken networks"), ("HSDPA Bus", "Measured or modelled networks"),
        ("RMCAT Default", "RMCAT, tests of interactive media (RFC 8867)"),
        ("QUIC Interop Blackhole", "quic-interop-runner"), ("Busy Home", "Measured or modelled networks"),
        ("G1050 Severity H", "ITU-T G.1050, Internet paths of eight severities"),
    ])
    func namesTheOrigin(name: String, origin: String) {
        let groups = ProfileListing.byOrigin(listing.profiles)
        #expect(groups.first { $0.profiles.contains { $0.loaded.profile.name == name } }?.origin == origin)
    }

    @Test func listsOnesOwnEvenIfABuiltInProfileHasItsFigures() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            #"{"name": "Mine", "downlink": {"loss": "100 %"}}"#,
            to: "mine.json"
        )
        let listing = ProfileListing(Catalog(directories: [directory.path]).all().profiles)
        #expect(listing.start.last?.loaded.profile.name == "Mine" && listing.start.count == 9)
        let first = ProfileListing.byOrigin(listing.profiles).first
        #expect(first?.origin == directory.path && first?.profiles.count == 1)
    }
}
