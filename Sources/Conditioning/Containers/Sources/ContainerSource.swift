// SPDX-License-Identifier: Apache-2.0

/// A source of containers: an engine or a runtime.
package protocol ContainerSource {
    /// The engine or the runtime: "docker".
    var name: String { get }

    /// The source's name and address for messages: "docker at /run/docker.sock".
    var description: String { get }

    /// Finds a container by its name, its ID, or the start of its ID.
    ///
    /// - Returns: the matching containers: none, one, or several whose IDs start with `word`.
    func containers(named word: String) throws(ContainerError) -> [Container]

    /// The running containers. An engine reports processes only for one container at a time: `containers(named:)`.
    func running() throws(ContainerError) -> [Container]

    /// A stream of container starts; nil if the source has none, or none now.
    func events() -> EngineEvents?
}
