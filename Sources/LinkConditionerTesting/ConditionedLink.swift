// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
import Sandboxing

/// Conditions for a test: a profile by name, or the profile itself.
public struct ConditionedLink: Hashable, Sendable {
    enum Choice: Hashable, Sendable {
        case named(String)
        case profile(Profile)
    }

    let choice: Choice

    /// The profile of this name: a built-in one, or one of `linkcond list`.
    public static func named(_ name: String) -> ConditionedLink { ConditionedLink(choice: .named(name)) }

    /// A profile made in code.
    public static func profile(_ profile: Profile) -> ConditionedLink { ConditionedLink(choice: .profile(profile)) }

    /// Puts the conditions into effect.
    func apply(by client: ControlClient) throws {
        switch choice {
        case .named(let name): try client.change(toProfileNamed: name)
        case .profile(let profile): try client.change(to: profile)
        }
    }
}

extension ConditionedLink: ExpressibleByStringLiteral {
    /// The profile of this name.
    public init(stringLiteral name: String) { self.init(choice: .named(name)) }
}
