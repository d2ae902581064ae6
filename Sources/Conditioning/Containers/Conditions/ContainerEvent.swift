// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import LinkRules

/// What a watch has done, or why it has not.
package enum ContainerEvent: Sendable {
    /// The container has the conditions that its labels ask for.
    case applied(Container, profile: String, interface: String, Facing, notes: [String])
    /// It no longer has them: it has ended, or the watch ends.
    case removed(Container, notes: [String])
    /// Nothing is done for it, because of its labels or of what it is.
    case refused(Container, reason: String, remedy: Remedy?)
    /// What concerns a container that has conditions, or none in particular.
    case note(Container?, String)
}
