// SPDX-License-Identifier: Apache-2.0

/// A container, as an engine or a runtime tells of it.
package struct Container: Hashable, Sendable {
    package var id: String
    /// The container's name; its ID if it has none.
    package var name: String
    /// The container's state, in the engine's words: "running", "exited".
    package var status: String
    /// The container's first process; nil while none runs.
    package var process: Int32?
    /// The start of that process, as the source gives it; another start has another text.
    package var start: String
    /// The container's labels, or the annotations given to a runtime.
    package var labels: [String: String] = [:]
    /// The owner of the network that it shares; nil if it has a network of its own.
    package var sharedNetwork: SharedNetwork?

    /// A network that is not the container's own.
    package enum SharedNetwork: Hashable, Sendable {
        /// The machine's network.
        case host
        /// The network of another container, by ID or name.
        case container(String)
    }
}
