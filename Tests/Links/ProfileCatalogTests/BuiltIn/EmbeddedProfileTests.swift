// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ProfileCatalog

@Suite struct EmbeddedProfileTests {
    @Test func areTheFilesOfTheProfilesDirectory() throws {
        let embedded = Dictionary(uniqueKeysWithValues: BuiltInProfiles.all.map { ($0.file, $0.json) })
        #expect(embedded.keys.sorted() == ProfilesDirectory.names)
        for file in ProfilesDirectory.names {
            #expect(try embedded[file] == ProfilesDirectory.text(file), "\(file)")
        }
    }

    @Test func haveTheNamesInTheirTexts() throws {
        for profile in BuiltInProfiles.all {
            #expect(try profile.name == Profile(utf8: profile.json.utf8).name, "\(profile.file)")
        }
        for scenario in BuiltInScenarios.all {
            #expect(try scenario.name == Scenario(utf8: scenario.json.utf8).name, "\(scenario.file)")
        }
    }

    @Test func areRecognizedByFileNameAndContent() throws {
        for profile in BuiltInProfiles.all {
            let bytes = Array(profile.json.utf8)
            #expect(BuiltInProfiles.profile(file: profile.file, bytes: bytes)?.file == profile.file)
            #expect(BuiltInProfiles.profile(file: "other.json", bytes: bytes) == nil)
            #expect(BuiltInProfiles.profile(file: profile.file, bytes: bytes + [0x0A]) == nil)
        }
    }
}
