// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A file of `Profiles/Populations/`, embedded in the program.
struct BuiltInPopulation: Sendable {
    let file: String
    let name: String
    let json: String
}

extension Catalog {
    /// The built-in population with the name `word`; nil if there is none, or if `word` is a path.
    func builtInPopulation(_ word: String) -> BuiltInPopulation? {
        guard !Self.isPath(word) else { return nil }
        let wanted = Profile.normalized(word)
        return BuiltInPopulations.all.first { Profile.normalized($0.name) == wanted }
    }

    /// Whether a built-in population has the name `word`.
    package static func isPopulationName(_ word: String) -> Bool {
        let wanted = Profile.normalized(word)
        return BuiltInPopulations.all.contains { Profile.normalized($0.name) == wanted }
    }

    /// The names of the built-in populations.
    package static var populationNames: [String] { BuiltInPopulations.all.map(\.name) }
}
