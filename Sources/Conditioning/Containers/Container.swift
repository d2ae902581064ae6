// SPDX-License-Identifier: Apache-2.0

/// A container, as an engine or a runtime describes it.
package struct Container: Hashable, Sendable {
    package var id: String
    /// The container's name; its ID if it has none.
    package var name: String
    /// The container's state, in the engine's words: "running", "exited".
    package var status: String
    /// The ID of the container's first process; nil while it does not run.
    package var process: Int32?
    /// The start time of that process, in the source's text; a restart changes it.
    package var start: String
    /// The container's labels, or the annotations given to a runtime.
    package var labels: [String: String] = [:]
    /// The owner of a shared network; nil if the container has its own network.
    package var sharedNetwork: SharedNetwork?

    /// A network that is not the container's own.
    package enum SharedNetwork: Hashable, Sendable {
        /// The machine's network.
        case host
        /// The network of another container, by ID or name.
        case container(String)
    }
}
