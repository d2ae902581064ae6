// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A file of `Profiles/Scenarios/`, embedded in the program.
struct BuiltInScenario: Sendable {
    let file: String
    let name: String
    let json: String
}

extension Catalog {
    /// The built-in scenario with the name `word`; nil if there is none, or if `word` is a path.
    func builtInScenario(_ word: String) -> BuiltInScenario? {
        guard !Self.isPath(word) else { return nil }
        let wanted = Profile.normalized(word)
        return BuiltInScenarios.all.first { Profile.normalized($0.name) == wanted }
    }

    /// Whether a built-in scenario has the name `word`.
    package static func isScenarioName(_ word: String) -> Bool {
        let wanted = Profile.normalized(word)
        return BuiltInScenarios.all.contains { Profile.normalized($0.name) == wanted }
    }

    /// The names of the built-in scenarios, each of which changes the network.
    package static var scenarioNames: [String] { BuiltInScenarios.all.map(\.name) }
}
