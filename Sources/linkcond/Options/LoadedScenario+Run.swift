// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import ProfileCatalog
import Sandboxing
import Trials

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

extension RunConditions {
    /// The conditions of a scenario, each of whose profiles becomes a request.
    init(_ loaded: LoadedScenario, _ request: (LoadedProfile) throws -> RuleRequest) throws {
        let steps = try zip(loaded.scenario.steps, loaded.steps).map { step, profile in
            SandboxScenario.Step(label: step.label, trigger: step.after, request: try request(profile))
        }
        self.init(
            try request(loaded.first),
            SandboxScenario(steps: steps, repeat: loaded.scenario.repeat),
            scenario: loaded.scenario.name
        )
    }
}
