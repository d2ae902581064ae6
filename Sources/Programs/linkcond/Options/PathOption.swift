// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import ProfileCatalog
import Sandboxing

/// One of several uplinks, as given on the command line: `wifi0=LTE`.
struct PathOption {
    let name: String
    let profile: String

    init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else {
            throw ValidationError("'\(text)' is not an interface's name and a profile, such as wifi0=LTE")
        }
        if let problem = Scenario.Path.problem(with: parts[0]) {
            throw ValidationError("the name '\(parts[0])' \(problem)")
        }
        (name, profile) = (parts[0], parts[1])
    }

    /// The reason why these cannot be the uplinks of one sandbox; nil if they can.
    static func problem(with paths: [PathOption]) -> String? {
        guard Set(paths.map(\.name)).count == paths.count else { return "Each --path needs a name of its own." }
        return paths.count > Scenario.maximumPaths ? "--path can be given at most \(Scenario.maximumPaths) times." : nil
    }
}

extension RunConditions {
    /// Adds these uplinks to the sandbox.
    mutating func add(
        _ options: [PathOption],
        _ catalog: CatalogOptions,
        _ request: (LoadedProfile) throws -> RuleRequest
    ) throws {
        for option in options {
            let loaded = try catalog.profile(option.profile)
            LoadedProfile.note([loaded])
            paths.append(Path(name: option.name, request: try request(loaded)))
        }
    }
}
