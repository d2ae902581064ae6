// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Finds a machine's container engines and runtimes.
package enum ContainerSources {
    /// The existing sources. Sources that another user could have created, and so could name any process, are left out
    /// unless an environment variable names them: `su` and `sudo -E` keep XDG_RUNTIME_DIR.
    ///
    /// - Parameters:
    ///   - environment: returns the value of a variable; nil if it is not set.
    ///   - root: the directory of the machine's /run.
    package static func present(_ environment: (String) -> String?, run root: String = "/run") -> [any ContainerSource]
    {
        let own = environment("XDG_RUNTIME_DIR") ?? "\(root)/user/\(geteuid())"
        let named = [("docker", "DOCKER_HOST"), ("podman", "CONTAINER_HOST")].compactMap { engine, variable in
            environment(variable).flatMap { $0.hasPrefix("unix://") ? String($0.dropFirst(7)) : nil }
                .map { EngineAPI(name: engine, socket: $0, isNamed: true) }
        }
        let usual = [
            ("docker", "\(root)/docker.sock"), ("docker", "\(own)/docker.sock"),
            ("podman", "\(root)/podman/podman.sock"), ("podman", "\(own)/podman/podman.sock"),
        ]
        let containerd = "\(root)/containerd/runc"
        let namespaces = TrustedFile.open(containerd)?.names ?? []
        let states =
            [
                ("docker", "\(root)/docker/runtime-runc/moby"), ("runc", "\(root)/runc"), ("crun", "\(root)/crun"),
                ("runc", "\(own)/runc"), ("crun", "\(own)/crun"),
            ] + namespaces.sorted().map { ("containerd", "\(containerd)/\($0)") }
        let sockets = usual.filter { path in !named.contains { $0.socket == path.1 } }
        return named
            + sockets.filter { TrustedFile.open($0.1) != nil }.map {
                EngineAPI(name: $0.0, socket: $0.1, isNamed: false)
            }
            + states.filter { TrustedFile.open($0.1) != nil }.map { RuntimeState(name: $0.0, directory: $0.1) }
    }
}
