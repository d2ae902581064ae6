// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// Conditions for a test: a profile, or a scenario, which changes the conditions while the test runs.
public struct ConditionedLink: Hashable, Sendable {
    enum Choice: Hashable, Sendable {
        case named(String)
        case profile(Profile)
        case scenario(Scenario)
        case file(String)
    }

    let choice: Choice

    /// The profile of this name: a built-in one, or one of `linkcond list`.
    public static func named(_ name: String) -> ConditionedLink { ConditionedLink(choice: .named(name)) }

    /// A profile made in code.
    public static func profile(_ profile: Profile) -> ConditionedLink { ConditionedLink(choice: .profile(profile)) }

    /// A scenario made in code. The scenario's expectations of the client are judged with those of the test.
    public static func scenario(_ scenario: Scenario) -> ConditionedLink {
        ConditionedLink(choice: .scenario(scenario))
    }

    /// The scenario in this file, as for `linkcond run --scenario`. The path is relative to the working directory.
    public static func scenario(file path: String) -> ConditionedLink { ConditionedLink(choice: .file(path)) }
}

extension ConditionedLink: ExpressibleByStringLiteral {
    /// The profile of this name.
    public init(stringLiteral name: String) { self.init(choice: .named(name)) }
}
