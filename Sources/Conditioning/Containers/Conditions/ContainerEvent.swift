// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import LinkRules

/// An action of a watch, or the reason why it did not act.
package enum ContainerEvent: Sendable {
    /// The container has the conditions that its labels ask for.
    case applied(Container, profile: String, interface: String, Facing, notes: [String])
    /// The container no longer has conditions: it has ended, or the watch ends.
    case removed(Container, notes: [String])
    /// Nothing is done for the container, because of its labels or its kind.
    case refused(Container, reason: String, remedy: Remedy?)
    /// A note about a container that has conditions, or about none in particular.
    case note(Container?, String)
}
