// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The content of a user's file.
public enum LoadedFile: Sendable {
    /// A profile.
    case profile(LoadedProfile)
    /// A scenario.
    case scenario(LoadedScenario)
    /// Rules, each with a profile for part of the traffic.
    case rules(LoadedRules)
    /// Networks with their shares of a population.
    case population(LoadedPopulation)

    /// Reads the file at `path`, or the built-in scenario or population of that name; "-" is standard input.
    ///
    /// - Parameters:
    ///   - catalog: the catalog for the profiles of a scenario, of rules or of a population.
    ///   - check: finds mistakes in a scenario's expectations.
    public static func read(
        path: String,
        catalog: Catalog,
        check: LoadedScenario.ExpectationCheck = { _, _ in [] }
    ) throws(CatalogError) -> LoadedFile {
        if catalog.builtInScenario(path) != nil {
            return .scenario(try LoadedScenario.read(path: path, catalog: catalog, check: check))
        }
        if catalog.builtInPopulation(path) != nil {
            return .population(try LoadedPopulation.read(path: path, catalog: catalog))
        }
        let bytes = try LoadedProfile.bytes(path: path)
        let json = try JSON(bytes, from: .init(path: path))
        if TrafficRulesDraft.isDescribed(by: json) {
            return .rules(try LoadedRules(json, from: .init(path: path), catalog))
        }
        if Population.isDescribed(by: json) {
            return .population(try LoadedPopulation(json, from: .init(path: path), catalog, check: check))
        }
        guard Scenario.isDescribed(by: json) else { return .profile(try .read(utf8: bytes, path: path)) }
        return .scenario(try LoadedScenario(json, from: .init(path: path), catalog, check: check))
    }
}
