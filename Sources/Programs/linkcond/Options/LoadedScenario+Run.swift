// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkPane
import LinuxSystem
import ProfileCatalog
import ProfileFormats
import Trials

extension CatalogOptions {
    /// Loads the scenario in the file at `path`, with its profiles; "-" is standard input.
    func scenario(_ path: String) throws -> LoadedScenario {
        let catalog = catalog
        Self.note(catalog)
        guard path.hasSuffix(".tar") else { return try catalog.scenario(path) }
        return try catalog.scenario(Self.archivedScenario(path), ofFile: path)
    }

    /// The text of the scenario in an archive that the pane has made.
    private static func archivedScenario(_ path: String) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try SmallFile.read(path, followsLinks: true, limit: TarArchive.maximumSize)
        } catch {
            throw Failure(.notFound, "cannot read \(path): \(error)")
        }
        let archive: TarArchive
        do {
            archive = try TarArchive(bytes)
        } catch {
            throw Failure(.badProfile, "\(path) is no archive of a run: \(error)")
        }
        guard let scenario = archive[RunArchive.scenario] else {
            throw Failure(.badProfile, "\(path) is no archive of a run: it has no \(RunArchive.scenario)")
        }
        return scenario
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
