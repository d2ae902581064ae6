// SPDX-License-Identifier: Apache-2.0

/// A container, as an engine or a runtime tells of it.
package struct Container: Hashable, Sendable {
    package var id: String
    /// Its name; its ID where it has none.
    package var name: String
    /// What it is doing, in the engine's words: "running", "exited".
    package var status: String
    /// Its first process; nil while none runs.
    package var process: Int32?
    /// When that process started, as the source tells it; another start has another text.
    package var start: String
    /// Its labels, or the annotations that a runtime has been given.
    package var labels: [String: String] = [:]
    /// What it shares a network with, if not with itself only.
    package var sharedNetwork: SharedNetwork?

    /// A network that is not the container's own.
    package enum SharedNetwork: Hashable, Sendable {
        /// That of the machine.
        case host
        /// That of another container, by ID or name.
        case container(String)
    }
}
