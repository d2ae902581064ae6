// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import Testing

@testable import ProfileCatalog

@Suite struct EmbeddedProfileTests {
    private static let source = ProfilesDirectory.url.appending(path: "../Sources/ProfileCatalog/BuiltInProfiles.swift")

    /// The Swift file that holds the files of `Profiles/`.
    private static func swiftText() throws -> String {
        let entries = try ProfilesDirectory.names.map { file in
            let overview = ProfileOverview(try ProfilesDirectory.profile(file))
            let (name, downlink, uplink) = (overview.name, overview.downlink, overview.uplink)
            return """
                        BuiltInProfile(
                            \(literal(file)), \(literal(name)),
                            downlink: \(literal(downlink)), uplink: \(literal(uplink)), dns: \(literal(overview.dns)),
                            json: \(literal(try ProfilesDirectory.text(file)))
                        ),

                """
        }
        return """
            // SPDX-License-Identifier: Apache-2.0
            // Generated from Profiles/*.json; after changing one of them: LINKCOND_EMBED=1 swift test --filter EmbeddedProfileTests
            // swift-format-ignore-file

            enum BuiltInProfiles {
                static let all: [BuiltInProfile] = [
            \(entries.joined())    ]
            }

            """
    }

    private static func literal(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }

    @Test func areGeneratedFromTheFilesAsTheyAre() throws {
        let text = try Self.swiftText()
        if ProcessInfo.processInfo.environment["LINKCOND_EMBED"] != nil {
            try text.write(to: Self.source, atomically: true, encoding: .utf8)
        }
        let isCurrent = try String(contentsOf: Self.source, encoding: .utf8) == text
        #expect(isCurrent, "run LINKCOND_EMBED=1 swift test --filter EmbeddedProfileTests")
    }

    @Test func areTheFilesOfTheProfilesDirectory() throws {
        let embedded = Dictionary(uniqueKeysWithValues: BuiltInProfiles.all.map { ($0.file, $0.json) })
        #expect(embedded.keys.sorted() == ProfilesDirectory.names)
        for file in ProfilesDirectory.names {
            #expect(try embedded[file] == ProfilesDirectory.text(file), "\(file)")
        }
    }

    @Test func areListedWithTheFiguresOfTheirTexts() throws {
        for profile in BuiltInProfiles.all {
            #expect(try profile.overview == ProfileOverview(Profile(utf8: profile.json.utf8)), "\(profile.file)")
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
