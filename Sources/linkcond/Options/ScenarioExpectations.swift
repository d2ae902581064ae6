// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import LinkProfiles
import ProfileCatalog

/// The expectations in a scenario's file.
enum ScenarioExpectations {
    /// The mistakes in them, each at its place.
    static func issues(_ texts: [LocatedText], labels: [String]) -> [ProfileIssue] {
        texts.compactMap { text in
            do throws(UnreadableExpectation) {
                _ = try ClientExpectation(parsing: text.text)
                return nil
            } catch {
                let place = Array(error.text)[error.range]
                let found = place.isEmpty ? "" : "at \(JSON.quoted(String(place))): "
                return text.issue("\(found)\(error.summary)")
            }
        }
    }
}

extension LoadedScenario {
    /// The expectations, which were read without a mistake when the scenario was loaded.
    func expectations() throws -> [ClientExpectation] {
        try scenario.expect.map { try ClientExpectation(parsing: $0.text) }
    }
}
