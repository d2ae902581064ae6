// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import ProfileCatalog
import Trials

extension CatalogOptions {
    /// Loads the scenario in the file at `path`, with its profiles; "-" is standard input.
    func scenario(_ path: String) throws -> LoadedScenario {
        let catalog = catalog
        Self.note(catalog)
        return try catalog.scenario(path)
    }
}

extension LoadedScenario {
    /// Throws if the scenario changes the network in ways that a sandbox with these options cannot; the error has the
    /// position in the file.
    func refuseNetworkKeys(isOffline: Bool, _ engine: Engine?) throws(CatalogError) {
        try refuseNetworkKeys { key in
            if isOffline { return "\"\(key)\" changes the uplink, and with --offline there is none" }
            return engine == .netem ? "netem cannot change the network: leave out --engine" : nil
        }
    }
}
