// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog
import Sandboxing

/// The scenario of `run`.
struct ScenarioOptions: ParsableArguments {
    @Option(
        name: .long,
        help: "Change the conditions while the command runs, as this file says; \"-\" is standard input."
    )
    var scenario: String?

    /// The scenario with its profiles; nil for none.
    func load(_ catalog: CatalogOptions) throws -> LoadedScenario? {
        try scenario.map { try catalog.scenario($0) }
    }
}

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

extension SandboxScenario {
    /// The steps of a scenario, for the traffic and with the seed that the options name.
    init(_ loaded: LoadedScenario, _ rule: RuleOptions, _ selection: Selection) throws {
        let steps = try zip(loaded.scenario.steps, loaded.steps).map { step, profile in
            Step(label: step.label, trigger: step.after, request: try rule.request(profile, selection))
        }
        self.init(steps: steps, repeat: loaded.scenario.repeat)
    }
}
