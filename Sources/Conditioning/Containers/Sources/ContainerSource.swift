// SPDX-License-Identifier: Apache-2.0

/// A source of containers: an engine or a runtime.
package protocol ContainerSource {
    /// The engine or the runtime: "docker".
    var name: String { get }

    /// The source's name and address for messages: "docker at /run/docker.sock".
    var description: String { get }

    /// Finds a container by its name, its ID, or the start of its ID.
    ///
    /// - Returns: the containers that are meant: none, one, or several whose IDs begin so.
    func containers(named word: String) throws(ContainerError) -> [Container]

    /// The containers that run. An engine tells their processes only one at a time: `containers(named:)`.
    func running() throws(ContainerError) -> [Container]

    /// A stream that tells when a container starts; nil if there is none, now or ever.
    func events() -> EngineEvents?
}
