// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The rules of a rules file, with their profiles loaded.
public struct LoadedRules: Sendable {
    /// The rules in the order of the file, each with its profile.
    public let rules: [(rule: TrafficRule, profile: LoadedProfile)]
    /// The origin of the rules.
    public let origin: LoadedProfile.Origin

    /// Reads the rules file at `path`, and loads the rules' profiles: by name, or by a path relative to the file; "-"
    /// is standard input.
    package static func read(path: String, catalog: Catalog) throws(CatalogError) -> LoadedRules {
        let json = try JSON(LoadedProfile.bytes(path: path), from: .init(path: path))
        return try LoadedRules(json, from: .init(path: path), catalog)
    }

    init(_ json: JSON, from origin: LoadedProfile.Origin, _ catalog: Catalog) throws(CatalogError) {
        let draft = TrafficRulesDraft(json: json)
        var issues = draft.issues
        var rules: [(TrafficRule, LoadedProfile)] = []
        for rule in draft.rules {
            do throws(InvalidProfile) {
                let loaded = try rule.profile.resolve(in: catalog, from: origin, readsFiles: true)
                // The keys of the network apply to the whole uplink, and not to part of the traffic.
                issues += loaded.profile.networkKeys.map { key in
                    let location = LocatedText(key, path: rule.profile.path, position: rule.profile.position)
                    return location.issue("\"\(key)\" is for all traffic: only the command line's profile can have it")
                }
                rules.append((rule, loaded))
            } catch {
                issues += error.issues
            }
        }
        guard issues.isEmpty else {
            let sorted = issues.sorted { $0.position < $1.position }
            throw .invalid(path: "\(origin)", InvalidProfile(issues: sorted))
        }
        (self.rules, self.origin) = (rules, origin)
    }

    /// Makes the error about a rule that cannot be used.
    package func problem(_ problem: String, with rule: TrafficRule) -> CatalogError {
        .invalid(path: "\(origin)", InvalidProfile(issues: [rule.location.issue(problem)]))
    }
}
