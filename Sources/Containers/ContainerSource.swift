// SPDX-License-Identifier: Apache-2.0

/// Who knows of containers.
package protocol ContainerSource {
    /// Its name and place for messages: "docker at /run/docker.sock".
    var description: String { get }

    /// Finds a container by its name, its ID, or the start of its ID.
    ///
    /// - Returns: the containers that are meant: none, one, or several whose IDs begin so.
    func containers(named word: String) throws(ContainerError) -> [Container]

    /// The names of the containers that run.
    func names() throws(ContainerError) -> [String]
}
