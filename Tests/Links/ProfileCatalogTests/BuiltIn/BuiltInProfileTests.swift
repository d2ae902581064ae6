// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ProfileCatalog

@Suite struct BuiltInProfileTests {
    private func profiles() throws -> [Profile] {
        try BuiltInProfiles.all.map { try Profile(utf8: $0.json.utf8) }
    }

    @Test func thereAreAtLeastForty() {
        #expect(BuiltInProfiles.all.count >= 40)
    }

    @Test func haveTheNamesOfTheirEntries() throws {
        #expect(try profiles().map(\.name) == BuiltInProfiles.all.map(\.name))
    }

    @Test func haveNamesThatDifferInMoreThanSpelling() throws {
        let names = try profiles().map { Profile.normalized($0.name) }
        #expect(Set(names).count == names.count)
    }

    @Test func sayWhatTheyAreAndWhereTheirFiguresComeFrom() throws {
        for profile in try profiles() {
            #expect(profile.summary?.isEmpty == false, "\(profile.name)")
            #expect(profile.source?.isEmpty == false, "\(profile.name)")
        }
    }

    @Test func doSomething() throws {
        for profile in try profiles() {
            let figures =
                [profile.downlink, profile.uplink].compactMap { $0 }
                + (profile.schedule?.steps ?? [])
                .flatMap { [$0.downlink, $0.uplink].compactMap { $0 } }
            #expect(
                profile.dns != nil || !profile.brokenWords.isEmpty || figures.contains { $0 != Impairments() },
                "\(profile.name)"
            )
        }
    }

    @Test func needNoFilesBesideThem() throws {
        #expect(try profiles().allSatisfy(\.traceReferences.isEmpty))
    }

    @Test func readBackAsTheyAreWritten() throws {
        for profile in try profiles() {
            #expect(try Profile(utf8: profile.json.text.utf8) == profile, "\(profile.name)")
        }
    }

    @Test func areFoundByName() throws {
        let catalog = Catalog(directories: [])
        for profile in try profiles() {
            let loaded = try catalog.profile(profile.name)
            #expect(loaded.profile == profile)
            #expect(loaded.origin == .builtIn)
        }
    }

    @Test func areListedInAlphabeticalOrder() {
        let (listed, mistakes) = Catalog(directories: []).all()
        #expect(mistakes.isEmpty)
        #expect(listed.count == BuiltInProfiles.all.count)
        let names = listed.map { $0.profile.name.lowercased() }
        #expect(names == names.sorted())
    }
}
