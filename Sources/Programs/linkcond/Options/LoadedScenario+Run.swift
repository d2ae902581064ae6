// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import LinkConditioning
import ProfileCatalog

extension CatalogOptions {
    /// The scenario in the file at `path`, with its profiles; "-" is standard input.
    func scenario(_ path: String) throws -> LoadedScenario {
        let catalog = catalog
        Self.note(catalog)
        return try LoadedScenario.read(path: path, catalog: catalog, check: Self.issues)
    }

    /// Whether a word is the name of a built-in scenario, and of no profile.
    func isScenario(_ word: String) -> Bool {
        Catalog.scenarioNames.contains { Profile.normalized($0) == Profile.normalized(word) }
            && (try? catalog.profile(word)) == nil
    }

    /// The profile or scenario in the file at `path`, or the built-in scenario of that name; "-" is standard input.
    func file(_ path: String) throws(CatalogError) -> LoadedFile {
        try LoadedFile.read(path: path, catalog: catalog, check: Self.issues)
    }

    /// The mistakes in the expectations of a scenario, each at its place.
    private static func issues(_ texts: [LocatedText], labels: [String]) -> [ProfileIssue] {
        texts.compactMap { text in
            do throws(UnreadableExpectation) {
                let label = try ClientExpectation(parsing: text.text).misspeltLabel(among: labels)
                return label.map { text.issue("no step is called '\($0.found)'", suggestion: $0.nearest) }
            } catch {
                let place = Array(error.text)[error.range]
                let found = place.isEmpty ? "" : "at \(JSON.quoted(String(place))): "
                return text.issue("\(found)\(error.summary)")
            }
        }
    }
}

extension LoadedScenario {
    /// Refuses what a sandbox with these options cannot do with its network, at its place in the file.
    func refuseNetworkKeys(isOffline: Bool, _ engine: Engine?) throws(CatalogError) {
        try refuseNetworkKeys { key in
            if isOffline { return "\"\(key)\" changes the uplink, and with --offline there is none" }
            return engine == .netem ? "netem cannot change the network: leave out --engine" : nil
        }
    }

    /// All profiles, that of the start first.
    var profiles: [LoadedProfile] { [first] + paths + steps }

    /// The expectations, which were read without a mistake when the scenario was loaded.
    func expectations() throws -> [ClientExpectation] {
        try scenario.expect.map { try ClientExpectation(parsing: $0.text) }
    }
}
