// SPDX-License-Identifier: Apache-2.0

/// The reason why the network of a container cannot be used, and a remedy.
package struct ContainerError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// There is no such container, or it does not run.
        case notFound
        case notPermitted
        /// The word matches several containers, or cannot be a name.
        case usage
        /// There is no engine, its response is invalid, or the container has no network of its own.
        case unavailable
    }

    package var kind: Kind
    package var message: String
    package var remedy: String?

    package init(_ kind: Kind, _ message: String, remedy: String? = nil) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }
}

extension ContainerError {
    /// There is no engine and no runtime here.
    package static let noSource = ContainerError(
        .unavailable,
        "no container engine is known here: neither Docker, Podman, containerd, runc nor crun",
        remedy: "DOCKER_HOST=unix:///SOCKET, or --pid PID, of a process in the container"
    )
}
