// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
internal import LinkProfiles
package import ProfileCatalog

extension Catalog {
    /// The scenario in the file at `path`, or the built-in one of that name, with its profiles; "-" is standard input.
    /// Throws for a mistake in the expectations as for any other mistake in the file.
    package func scenario(_ path: String) throws(CatalogError) -> LoadedScenario {
        try LoadedScenario.read(path: path, catalog: self, check: Self.issues)
    }

    /// The scenario that is a part of the file at `path`, with its profiles.
    package func scenario(_ part: [UInt8], ofFile path: String) throws(CatalogError) -> LoadedScenario {
        try LoadedScenario.read(part: part, ofFile: path, catalog: self, check: Self.issues)
    }

    /// The population in the file at `path`, or the built-in one of that name, with its networks; "-" is standard input.
    package func population(_ path: String) throws(CatalogError) -> LoadedPopulation {
        try LoadedPopulation.read(path: path, catalog: self, check: Self.issues)
    }

    /// The content of the file at `path`, or the built-in scenario or population of that name; "-" is standard input.
    package func load(_ path: String) throws(CatalogError) -> LoadedFile {
        try LoadedFile.read(path: path, catalog: self, check: Self.issues)
    }

    /// Whether a word is the name of a built-in scenario, but not of a profile.
    package func isScenario(_ word: String) -> Bool {
        Self.scenarioNames.contains { Profile.normalized($0) == Profile.normalized(word) }
            && (try? profile(word)) == nil
    }

    /// The mistakes in the expectations of a scenario, each with its position in the file.
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
    /// The expectations, which were checked when the scenario was loaded.
    package func expectations() throws -> [ClientExpectation] {
        try scenario.expect.map { try ClientExpectation(parsing: $0.text) }
    }
}
