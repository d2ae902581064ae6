// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A profile in a catalog. A built-in profile is not parsed until `load()`.
struct CatalogEntry: Sendable {
    private enum Content {
        case parsed(Profile)
        case builtIn(BuiltInProfile)
    }

    private let content: Content
    /// The profile's name.
    let name: String
    /// The origin of the profile.
    let origin: LoadedProfile.Origin

    init(_ loaded: LoadedProfile) {
        content = .parsed(loaded.profile)
        name = loaded.profile.name
        origin = loaded.origin
    }

    /// Makes an entry of a built-in profile, or of a file at `origin` with the same content.
    init(_ profile: BuiltInProfile, origin: LoadedProfile.Origin = .builtIn) {
        content = .builtIn(profile)
        name = profile.name
        self.origin = origin
    }

    /// The profile's name in the form that lookups compare.
    var normalizedName: String { Profile.normalized(name) }

    /// Returns the profile.
    func load() throws(CatalogError) -> LoadedProfile {
        switch content {
        case .parsed(let profile):
            var loaded = LoadedProfile(profile: profile, origin: origin)
            loaded.isFound = true
            loaded.hidesBuiltIn = BuiltInProfiles.hasAnother(profile)
            return loaded
        case .builtIn(let entry):
            do {
                var loaded = LoadedProfile(profile: try Profile(utf8: entry.json.utf8), origin: origin)
                loaded.isBuiltIn = true
                return loaded
            } catch {
                throw .invalid(path: name, error)
            }
        }
    }
}
