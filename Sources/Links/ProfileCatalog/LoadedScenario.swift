// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkProfiles

/// A scenario with its origin, and with its profiles loaded.
public struct LoadedScenario: Sendable {
    /// The scenario.
    public let scenario: Scenario
    /// The origin of the scenario.
    public let origin: LoadedProfile.Origin
    /// The profile that applies from the start.
    public let first: LoadedProfile
    /// The profiles of the paths at the start, in the order of the paths.
    public let paths: [LoadedProfile]
    /// The profiles of the steps, in the order of the steps.
    public let steps: [LoadedProfile]
    /// The keys by which steps change the network, with their positions.
    package let changes: [LocatedText]

    /// The scenario's profiles, starting with the first conditions.
    package var profiles: [LoadedProfile] { [first] + paths + steps }

    /// Finds mistakes in the expectations of a scenario whose steps have these labels.
    public typealias ExpectationCheck = (_ expect: [LocatedText], _ labels: [String]) -> [ProfileIssue]

    /// Reads the built-in scenario with the name `path`, or the file at `path`, and loads its profiles; "-" is standard
    /// input.
    ///
    /// - Parameters:
    ///   - catalog: the catalog for profiles by name. Paths of profiles are relative to the scenario's file.
    ///   - check: finds mistakes in the expectations, which are reported with all others.
    public static func read(
        path: String,
        catalog: Catalog,
        check: ExpectationCheck = { _, _ in [] }
    ) throws(CatalogError) -> LoadedScenario {
        if let own = catalog.builtInScenario(path) {
            return try LoadedScenario(JSON(Array(own.json.utf8), from: .builtIn), from: .builtIn, catalog, check: check)
        }
        let bytes: [UInt8]
        do throws(CatalogError) {
            bytes = try LoadedProfile.bytes(path: path)
        } catch {
            guard !Catalog.isPath(path), case .unreadable(let file) = error, file.code == ENOENT else { throw error }
            let isProfile = (try? catalog.profile(path)) != nil
            let nearest = isProfile ? nil : Spelling.nearest(to: path, among: Catalog.scenarioNames)
            throw .unknownScenario(path, isProfile: isProfile, nearest: nearest)
        }
        let json = try JSON(bytes, from: .init(path: path))
        return try LoadedScenario(json, from: .init(path: path), catalog, check: check)
    }

    /// Reads a scenario that another process has sent, and loads its profiles by name. References to files are errors.
    package static func received(utf8 bytes: [UInt8], catalog: Catalog) throws(CatalogError) -> LoadedScenario {
        let origin = LoadedProfile.Origin.file("the scenario")
        return try LoadedScenario(JSON(bytes, from: origin), from: origin, catalog, readsFiles: false) { _, _ in [] }
    }

    /// Reads a scenario that is a part of the file at `path`, such as an archive. References to other files are errors.
    package static func read(
        part bytes: [UInt8],
        ofFile path: String,
        catalog: Catalog,
        check: ExpectationCheck
    ) throws(CatalogError) -> LoadedScenario {
        let origin = LoadedProfile.Origin.file(path)
        return try LoadedScenario(JSON(bytes, from: origin), from: origin, catalog, readsFiles: false, check: check)
    }

    /// The scenario with all profiles inline.
    public var selfContained: Scenario {
        var whole = scenario
        whole.profile = ProfileReference(.inline(first.profile))
        for (index, path) in paths.enumerated() {
            whole.paths[index].profile = ProfileReference(.inline(path.profile))
        }
        for (index, step) in steps.enumerated() {
            whole.steps[index].profile = ProfileReference(.inline(step.profile))
        }
        return whole
    }

    /// Throws if a step or a profile has a key that concerns the uplink's network and for which `reason` returns a
    /// reason.
    package func refuseNetworkKeys(_ reason: (_ key: String) -> String?) throws(CatalogError) {
        let profiles = zip(scenario.references, [first] + paths + steps).compactMap { reference, loaded in
            loaded.profile.networkKeys.first.map { LocatedText($0, path: reference.path, position: reference.position) }
        }
        var issues: [ProfileIssue] = []
        for key in (changes + profiles).sorted(by: { $0.position < $1.position }) {
            // A step without a profile has the previous step's reference: its issue is reported once.
            if let issue = reason(key.text).map({ key.issue($0) }), issues.last != issue { issues.append(issue) }
        }
        guard issues.isEmpty else { throw .invalid(path: "\(origin)", InvalidProfile(issues: issues)) }
    }

    init(
        _ json: JSON,
        from origin: LoadedProfile.Origin,
        _ catalog: Catalog,
        readsFiles: Bool = true,
        check: ExpectationCheck
    ) throws(CatalogError) {
        self.origin = origin
        let draft = ScenarioDraft(json: json)
        var issues = draft.issues + check(draft.expect, draft.labels)
        var profiles: [LoadedProfile] = []
        for reference in draft.references {
            do throws(InvalidProfile) {
                profiles.append(try reference.resolve(in: catalog, from: origin, readsFiles: readsFiles))
            } catch {
                // A step without a profile has the previous step's reference: its issues are reported once.
                issues += error.issues.filter { !issues.contains($0) }
            }
        }
        guard issues.isEmpty, let scenario = draft.scenario else {
            let sorted = issues.sorted { $0.position < $1.position }
            throw .invalid(path: "\(origin)", InvalidProfile(issues: sorted))
        }
        self.scenario = scenario
        changes = draft.changes
        first = profiles[0]
        paths = Array(profiles.dropFirst().prefix(scenario.paths.count))
        steps = zip(profiles.dropFirst(1 + paths.count), scenario.steps).map { loaded, step in
            var loaded = loaded
            loaded.profile.faults = step.faults ?? loaded.profile.faults
            return loaded
        }
    }
}

extension JSON {
    init(_ bytes: [UInt8], from origin: LoadedProfile.Origin) throws(CatalogError) {
        do throws(InvalidProfile) {
            try self.init(readable: bytes)
        } catch {
            throw .invalid(path: "\(origin)", error)
        }
    }
}

extension ProfileReference {
    /// Loads the referenced profile.
    func resolve(
        in catalog: Catalog,
        from origin: LoadedProfile.Origin,
        readsFiles: Bool
    ) throws(InvalidProfile) -> LoadedProfile {
        if case .inline(let profile) = choice { return LoadedProfile(profile: profile, origin: origin) }
        let location = LocatedText(name, path: path, position: position)
        guard readsFiles || !Catalog.isPath(name) else {
            throw InvalidProfile(issues: [location.issue("a path cannot be sent; send the profile itself")])
        }
        do throws(CatalogError) {
            guard Catalog.isPath(name) else { return try catalog.profile(name) }
            // Paths are relative to the scenario's file.
            return try .read(path: LoadedProfile(profile: Profile(name: name), origin: origin).resolve(name))
        } catch {
            throw InvalidProfile(issues: [location.issue(error)])
        }
    }
}

extension LocatedText {
    /// The issue that the profile of this name or path cannot be loaded. `others` are further names that are valid here.
    func issue(_ error: CatalogError, others: [String] = []) -> ProfileIssue {
        guard case .unknownName(_, let nearest) = error else {
            let reason = error.description.split(separator: "\n").joined(separator: "; ")
            return issue("cannot use this profile: \(reason)")
        }
        let suggestion = nearest ?? Spelling.nearest(to: text, among: others)
        return issue("no profile is called \(JSON.quoted(text))", suggestion: suggestion)
    }
}
