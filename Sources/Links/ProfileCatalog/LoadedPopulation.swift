// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkProfiles

/// A population with its origin, and with its profiles and scenarios loaded.
public struct LoadedPopulation: Sendable {
    /// The population, with the names of its networks as they stand in their files.
    public let population: Population
    /// The words that load the networks, in their order: names, or paths from the working directory.
    public let words: [String]
    /// The profiles of all networks; of a scenario, each that it uses.
    package let profiles: [LoadedProfile]
    /// The origin of the population.
    public let origin: LoadedProfile.Origin

    /// Reads the built-in population with the name `path`, or the file at `path`, and loads its networks; "-" is
    /// standard input.
    ///
    /// - Parameters:
    ///   - catalog: the catalog for networks by name. Paths of networks are relative to the population's file.
    ///   - check: finds mistakes in the expectations of scenarios.
    public static func read(
        path: String,
        catalog: Catalog,
        check: LoadedScenario.ExpectationCheck = { _, _ in [] }
    ) throws(CatalogError) -> LoadedPopulation {
        if let own = catalog.builtInPopulation(path) {
            let json = try JSON(Array(own.json.utf8), from: .builtIn)
            return try LoadedPopulation(json, from: .builtIn, catalog, check: check)
        }
        let bytes: [UInt8]
        do throws(CatalogError) {
            bytes = try LoadedProfile.bytes(path: path)
        } catch {
            guard !Catalog.isPath(path), case .unreadable(let file) = error, file.code == ENOENT else { throw error }
            throw .unknownPopulation(path, nearest: Spelling.nearest(to: path, among: Catalog.populationNames))
        }
        let json = try JSON(bytes, from: .init(path: path))
        return try LoadedPopulation(json, from: .init(path: path), catalog, check: check)
    }

    init(
        _ json: JSON,
        from origin: LoadedProfile.Origin,
        _ catalog: Catalog,
        check: LoadedScenario.ExpectationCheck
    ) throws(CatalogError) {
        let draft = PopulationDraft(json: json)
        var (population, issues, words) = (draft.population, draft.issues, [String]())
        var profiles: [LoadedProfile] = []
        var paths: [String: JSONPath] = [:]
        for index in population.networks.indices {
            let network = population.networks[index].profile
            let word =
                Catalog.isPath(network.text)
                ? LoadedProfile(profile: Profile(name: ""), origin: origin).resolve(network.text) : network.text
            do throws(CatalogError) {
                let loaded = try Self.load(word, catalog, check)
                // Files with other paths may have one name, by which the results of runs are told apart.
                if let other = paths.updateValue(network.path, forKey: Profile.normalized(loaded.name)),
                    !issues.contains(where: { $0.path == network.path })
                {
                    issues.append(network.issue("\(JSON.quoted(loaded.name)) is \(other), too"))
                }
                population.networks[index].profile =
                    LocatedText(loaded.name, path: network.path, position: network.position)
                profiles += loaded.profiles
                words.append(word)
            } catch {
                issues.append(network.issue(error, others: Catalog.scenarioNames))
            }
        }
        guard issues.isEmpty else {
            let sorted = issues.sorted { $0.position < $1.position }
            throw .invalid(path: "\(origin)", InvalidProfile(issues: sorted))
        }
        (self.population, self.words, self.profiles, self.origin) = (population, words, profiles, origin)
    }

    private static func load(
        _ word: String,
        _ catalog: Catalog,
        _ check: LoadedScenario.ExpectationCheck
    ) throws(CatalogError) -> (name: String, profiles: [LoadedProfile]) {
        guard Catalog.isPath(word) else {
            do throws(CatalogError) {
                let loaded = try catalog.profile(word)
                return (loaded.profile.name, [loaded])
            } catch {
                guard catalog.builtInScenario(word) != nil else { throw error }
                let loaded = try LoadedScenario.read(path: word, catalog: catalog, check: check)
                return (loaded.scenario.name, loaded.profiles)
            }
        }
        let bytes = try LoadedProfile.bytes(path: word)
        let json = try JSON(bytes, from: .init(path: word))
        guard Scenario.isDescribed(by: json) else {
            let loaded = try LoadedProfile.read(utf8: bytes, path: word)
            return (loaded.profile.name, [loaded])
        }
        let loaded = try LoadedScenario(json, from: .init(path: word), catalog, check: check)
        return (loaded.scenario.name, loaded.profiles)
    }
}
