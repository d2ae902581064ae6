// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A file of `Profiles/`, embedded in the program.
struct BuiltInProfile: Sendable {
    let file: String
    /// The profile's name, extracted so that a lookup need not parse `json`.
    let name: String
    let json: String
}

extension BuiltInProfiles {
    private static let indexByFile = Dictionary(uniqueKeysWithValues: all.indices.map { (all[$0].file, $0) })

    /// Returns the profile whose file has the name `file` and exactly the content `bytes`.
    static func profile(file: String, bytes: [UInt8]) -> BuiltInProfile? {
        guard let index = indexByFile[file], all[index].json.utf8.elementsEqual(bytes) else { return nil }
        return all[index]
    }

    /// Whether a built-in profile has the same name as `profile` but differs from it.
    static func hasAnother(_ profile: Profile) -> Bool {
        let name = Profile.normalized(profile.name)
        guard let own = all.first(where: { Profile.normalized($0.name) == name }) else { return false }
        return (try? Profile(utf8: own.json.utf8)) != profile
    }
}
