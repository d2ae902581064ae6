// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
package import LinuxSystem

/// The network namespace of a container that runs.
package struct ContainerNetwork {
    /// Names the namespace also after the container's end, for as long as this process runs.
    package let namespace: NetworkNamespace
    /// The other container whose network it is, too; nil if none is known.
    package let sharedWith: String?

    /// Finds a container and opens its network.
    ///
    /// - Parameters:
    ///   - word: a name, an ID, the start of one, or an ID as Kubernetes has it: "containerd://ID".
    ///   - sources: who may know it.
    package init(of word: String, _ sources: [any ContainerSource]) throws(ContainerError) {
        let name = word.firstRange(of: "://").map { String(word[$0.upperBound...]) } ?? word
        guard name.wholeMatch(of: Self.pattern) != nil else {
            throw ContainerError(.usage, "\"\(word)\" cannot be the name or the ID of a container")
        }
        // A container that is started anew between the questions has another first process.
        for _ in 1...Self.attempts {
            let container = try Self.find(name, sources)
            let process = try container.runningProcess()
            guard let network = try Network(of: process, in: name) else { continue }
            guard try Self.find(name, sources) == container else { continue }
            if container.sharedNetwork == .host || network.identity == FileIdentity("/proc/self/ns/net") {
                throw ContainerError(
                    .unavailable,
                    "container \(name) uses this machine's network, which conditions would affect as a whole",
                    remedy: "run the container with a network of its own"
                )
            }
            namespace = .opened(network.descriptor, process: process, name: "the network of container \(name)")
            if case .container(let other)? = container.sharedNetwork { sharedWith = other } else { sharedWith = nil }
            return
        }
        throw ContainerError(.notFound, "container \(name) is being started again and again")
    }

    private static let attempts = 5
    /// What Docker and Podman allow; runc's and crun's IDs may have a plus sign, too.
    private static var pattern: Regex<Substring> { /[A-Za-z0-9][A-Za-z0-9_.+\-]*/ }

    /// An open network namespace.
    private struct Network {
        let descriptor: CInt
        let identity: FileIdentity

        /// Opens that of a process; nil if it has ended.
        init?(of process: Int32, in container: String) throws(ContainerError) {
            descriptor = open("/proc/\(process)/ns/net", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 || ![EACCES, EPERM].contains(errno) else {
                throw ContainerError(
                    .notPermitted,
                    "the network of container \(container) is another user's",
                    remedy: "run it as root"
                )
            }
            guard let identity = FileIdentity(descriptor: descriptor) else { return nil }
            self.identity = identity
        }
    }

    /// The container of this name, which several sources may know.
    private static func find(_ name: String, _ sources: [any ContainerSource]) throws(ContainerError) -> Container {
        var (found, failures): ([(Container, any ContainerSource)], [ContainerError]) = ([], [])
        for source in sources {
            do throws(ContainerError) {
                for container in try source.containers(named: name) {
                    // An engine and its runtime both know it; the engine, which comes first, knows more.
                    if !found.contains(where: { $0.0.id == container.id }) { found.append((container, source)) }
                }
            } catch {
                failures.append(error)
            }
        }
        // One that is called so, and not one whose ID begins so.
        let exact = found.filter { $0.0.name == name || $0.0.id == name }
        let chosen = exact.isEmpty ? found : exact
        if chosen.count > 1 {
            let list = chosen.map { "\($0.0.name) (\($0.0.id.prefix(12)), \($0.1.description))" }
            throw ContainerError(
                .usage,
                "\(name) is several containers: \(list.joined(separator: ", "))",
                remedy: "more of the ID, or --pid PID"
            )
        }
        if let (container, _) = chosen.first { return container }
        throw unknown(name, sources, failures)
    }

    private static func unknown(
        _ name: String,
        _ sources: [any ContainerSource],
        _ failures: [ContainerError]
    ) -> ContainerError {
        // Where one could not be asked, nothing tells that there is no such container.
        if let failure = failures.first {
            let message = failures.map(\.message).joined(separator: "\n")
            let remedy = failure.kind == .notPermitted ? "run it as root" : "--pid PID, of a process in the container"
            return ContainerError(failure.kind, message, remedy: remedy)
        }
        guard !sources.isEmpty else {
            return ContainerError(
                .unavailable,
                "no container engine is known here: neither Docker, Podman, containerd, runc nor crun",
                remedy: "DOCKER_HOST=unix:///SOCKET, or --pid PID, of a process in the container"
            )
        }
        let names = sources.flatMap { (try? $0.names()) ?? [] }
        let places = sources.map(\.description).joined(separator: ", ")
        return ContainerError(
            .notFound,
            "no container is called \(name): asked \(places)",
            remedy: Spelling.nearest(to: name, among: names).map { "--container \($0)" }
        )
    }
}

extension Container {
    fileprivate func runningProcess() throws(ContainerError) -> Int32 {
        guard let process else {
            throw ContainerError(.notFound, "container \(name) does not run: \(status)")
        }
        return process
    }
}
