// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import LinkRules

/// An action of a `ContainerWatch`, or the reason why it did not act.
package enum ContainerEvent: Sendable {
    /// The container has the conditions that its labels ask for.
    case applied(Container, profile: String, interface: String, Facing, notes: [String])
    /// The container no longer has conditions: it has ended, or the watch ends.
    case removed(Container, notes: [String])
    /// The container gets no conditions, because of its labels or its kind.
    case refused(Container, reason: String, remedy: Remedy?)
    /// A note about a conditioned container; nil for a note about no particular container.
    case note(Container?, String)
}
