// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ProfileCatalog

@Suite struct BuiltInScenarioTests {
    private let catalog = Catalog(directories: [])

    @Test func areTheFilesOfTheirDirectory() throws {
        #expect(Catalog.scenarioNames.sorted() == ["NAT Rebinding", "QUIC Interop Rebind Port", "Wi-Fi To Cellular"])
        #expect(Catalog.brokenScenarioNames.sorted() == ["NAT Rebinding", "Wi-Fi To Cellular"])
        #expect(ProfilesDirectory.scenarios.sorted() == BuiltInScenarios.all.map(\.json).sorted())
    }

    /// None takes the name of a profile, and each changes the network, with profiles that exist.
    @Test(arguments: Catalog.scenarioNames)
    func changesTheNetworkWithBuiltInProfiles(name: String) throws {
        let loaded = try LoadedScenario.read(path: name, catalog: catalog)
        #expect(loaded.origin == .builtIn && loaded.scenario.summary != nil)
        #expect(loaded.scenario.steps.contains { !$0.changes.isEmpty })
        #expect(throws: CatalogError.self) { try catalog.profile(name) }
    }

    @Test func areFoundByAnySpelling() throws {
        #expect(try LoadedScenario.read(path: "nat-rebinding", catalog: catalog).scenario.name == "NAT Rebinding")
    }
}
