// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog

extension CatalogOptions {
    /// The scenario in the file at `path`, with its profiles; "-" is standard input.
    func scenario(_ path: String) throws -> LoadedScenario {
        let catalog = catalog
        Self.note(catalog)
        return try Failure.catching {
            try LoadedScenario.read(path: path, catalog: catalog, check: ScenarioExpectations.issues)
        }
    }

    /// The profile or scenario in the file at `path`; "-" is standard input.
    func file(_ path: String) throws(CatalogError) -> LoadedFile {
        try LoadedFile.read(path: path, catalog: catalog, check: ScenarioExpectations.issues)
    }
}

extension LoadedScenario {
    /// All profiles, that of the start first.
    var profiles: [LoadedProfile] { [first] + steps }
}
