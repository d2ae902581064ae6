// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A profile in a list, with the profiles that have the same figures.
package struct ListedProfile: Sendable {
    package let loaded: LoadedProfile
    /// The names of the other profiles with the same figures.
    package let otherNames: [String]
}

/// Profiles in the order of a list for people: each set of figures once.
package struct ProfileListing: Sendable {
    /// The recommended profiles, then the others in the order in which they were given.
    package let profiles: [ListedProfile]

    package init(_ profiles: [LoadedProfile]) {
        // A profile of the user's own is listed even if a built-in one has its figures.
        let groups = Dictionary(grouping: profiles.indices) { index in
            profiles[index].isBuiltIn ? Figures.builtIn(profiles[index].profile.unnamed) : .own(index)
        }
        let chosen = groups.values.map { group in
            let members = group.sorted { profiles[$0].rank < profiles[$1].rank }
            let names = members.dropFirst().map { profiles[$0].profile.name }
            return (index: members[0], listed: ListedProfile(loaded: profiles[members[0]], otherNames: names))
        }
        self.profiles = chosen.sorted {
            (profiles[$0.index].position, $0.index) < (profiles[$1.index].position, $1.index)
        }
        .map(\.listed)
    }

    /// The recommended profiles from mild to dead, and the profiles that are not built in.
    package var start: [ListedProfile] {
        profiles.filter { $0.loaded.recommendation != nil } + profiles.filter { !$0.loaded.isBuiltIn }
    }

    /// The profiles by origin: first those that are not built in, by directory.
    package static func byOrigin(_ profiles: [ListedProfile]) -> [(origin: String, profiles: [ListedProfile])] {
        let groups = Dictionary(grouping: profiles) { ProfileOrigin($0.loaded) }
        return groups.sorted { $0.key < $1.key }.map { ($0.key.title, $0.value) }
    }

    private enum Figures: Hashable {
        case builtIn(Profile)
        case own(Int)
    }
}

extension Profile {
    /// The figures without the name and other texts.
    fileprivate var unnamed: Profile {
        var profile = self
        (profile.name, profile.summary, profile.source) = ("", nil, nil)
        return profile
    }
}

extension LoadedProfile {
    /// The position among the recommended profiles, or one after them.
    fileprivate var position: Int { Recommendation.index(of: self) ?? Recommendation.all.count }

    /// Of profiles with the same figures, the one with the lowest rank is shown: a recommended one, one that no other
    /// tool's name precedes, the one with the shortest name.
    fileprivate var rank: (Int, Int, Int) {
        let isTools = if case .tool = ProfileOrigin(self) { 1 } else { 0 }
        return (position, isTools, profile.name.count)
    }
}
