// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A built-in profile to try first, with a few words on what it is like.
package struct Recommendation: Hashable, Sendable {
    package let name: String
    package let likeness: String

    /// From mild to dead.
    package static let all = [
        Recommendation(name: "Wi-Fi", likeness: "Good Wi-Fi at home"),
        Recommendation(name: "Starlink", likeness: "Satellite with gaps"),
        Recommendation(name: "LTE", likeness: "4G with good signal"),
        Recommendation(name: "3G", likeness: "Slow, but steady"),
        Recommendation(name: "Edge", likeness: "2G: slow and late"),
        Recommendation(name: "Very Bad Network", likeness: "Late and lossy"),
        Recommendation(name: "Slow Net", likeness: "Next to no bandwidth"),
        Recommendation(name: "Black Hole", likeness: "No answer arrives"),
    ]

    private static let indexByName = Dictionary(
        uniqueKeysWithValues: all.indices.map { (Profile.normalized(all[$0].name), $0) }
    )

    /// The position of a profile among the recommended ones; nil if it is none of them.
    static func index(of loaded: LoadedProfile) -> Int? {
        loaded.isBuiltIn ? indexByName[Profile.normalized(loaded.profile.name)] : nil
    }
}

extension LoadedProfile {
    package var recommendation: Recommendation? { Recommendation.index(of: self).map { Recommendation.all[$0] } }
}
