// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import ProfileCatalog
import Trials

extension CatalogOptions {
    /// The scenario in the file at `path`, with its profiles; "-" is standard input.
    func scenario(_ path: String) throws -> LoadedScenario {
        let catalog = catalog
        Self.note(catalog)
        return try catalog.scenario(path)
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
}
