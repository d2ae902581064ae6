// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
import Foundation
internal import LinkProfiles
internal import ProfileCatalog
internal import SandboxClient

/// Conditions that this process has checked: files are read, and expectations parsed. The supervisor looks up names.
enum ReadyLink {
    case named(String)
    case profile(Profile)
    case scenario(Scenario, [ClientExpectation])

    init(_ link: ConditionedLink) throws(LinkConditioner.Unavailable) {
        do {
            switch link.choice {
            case .named(let name): self = .named(name)
            case .profile(let profile): self = .profile(profile)
            case .scenario(let scenario): self = try .scenario(scenario, Self.expectations(of: scenario))
            case .file(let path):
                let catalog = Catalog(environment: ProcessInfo.processInfo.environment)
                let scenario = try LoadedScenario.read(path: path, catalog: catalog).selfContained
                self = try .scenario(scenario, Self.expectations(of: scenario))
            }
        } catch {
            throw LinkConditioner.Unavailable(description: "\(error)")
        }
    }

    private static func expectations(of scenario: Scenario) throws -> [ClientExpectation] {
        try scenario.expect.map { try ClientExpectation(parsing: $0.text) }
    }

    /// A scenario's expectations of the client.
    var expectations: [ClientExpectation] {
        if case .scenario(_, let expectations) = self { expectations } else { [] }
    }

    /// Puts the conditions into effect. Ends the scenario of an enclosing trait, whose steps would replace them.
    func begin(by client: ControlClient) throws(ControlClient.Refusal) {
        _ = try? client.endScenario()
        switch self {
        case .named(let name): try client.change(toProfileNamed: name)
        case .profile(let profile): try client.change(to: profile)
        case .scenario(let scenario, _): try client.play(scenario)
        }
    }

    /// Ends a scenario; the conditions in effect stay.
    ///
    /// - Returns: the steps that never began, or failed.
    func end(by client: ControlClient) throws(ControlClient.Refusal) -> [String] {
        if case .scenario = self { try client.endScenario() } else { [] }
    }
}
