// SPDX-License-Identifier: Apache-2.0

/// A rule of an interface, as messages to the user name it.
public struct InterfaceRule: Sendable {
    /// The interface.
    public let interface: String
    /// The name of the profile.
    public let profile: String
}
