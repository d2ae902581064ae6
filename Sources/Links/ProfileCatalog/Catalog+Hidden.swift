// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A profile that a search by name does not reach, because a nearer one has the same name.
package struct HiddenProfile: Sendable {
    package let loaded: LoadedProfile
    /// The origin of the nearer profile.
    package let nearer: LoadedProfile.Origin
}

extension Catalog {
    /// Returns the profiles that nearer ones with other conditions hide, in the order of the search.
    package func hidden() -> [HiddenProfile] {
        var nearest: [String: CatalogEntry] = [:]
        var hidden: [HiddenProfile] = []
        for entry in directories.flatMap({ read(directory: $0).entries }) + builtIn.map({ CatalogEntry($0) }) {
            guard let nearer = nearest[entry.normalizedName] else {
                nearest[entry.normalizedName] = entry
                continue
            }
            guard let loaded = try? entry.load(), let other = try? nearer.load(), loaded.profile != other.profile
            else { continue }
            hidden.append(HiddenProfile(loaded: loaded, nearer: nearer.origin))
        }
        return hidden
    }
}
