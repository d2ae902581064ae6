// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
package import LinuxSystem

/// The network namespace of a running container.
package struct ContainerNetwork: DescriptorHolder {
    /// The container's first process.
    package let process: ProcessIdentity
    /// The start time of that process, in the source's text; a restart changes it.
    package let start: String
    /// The other container that uses this network; nil if none is known.
    package let sharedWith: String?
    private let file: OpenNetwork
    private let name: String

    /// Finds a container and opens its network, which stays open as long as this value, or a copy, exists.
    ///
    /// - Parameters:
    ///   - word: a name, an ID, the start of an ID, or an ID in Kubernetes' form: "containerd://ID".
    ///   - sources: the engines and runtimes to query.
    package init(of word: String, _ sources: [any ContainerSource]) throws(ContainerError) {
        let name = word.firstRange(of: "://").map { String(word[$0.upperBound...]) } ?? word
        guard name.wholeMatch(of: Self.pattern) != nil else {
            throw ContainerError(.usage, "\"\(word)\" cannot be the name or the ID of a container")
        }
        let limit = BootClock.now + Self.searchTimeout
        let own = CgroupMembership(of: getpid())
        var failure = ContainerError(.notFound, "container \(name) is being started again and again")
        // A container that restarts between the queries has another first process, so try again.
        for _ in 1...Self.attempts where BootClock.now < limit {
            let container = try Self.find(name, sources)
            let process = try container.runningProcess()
            guard let identity = ProcessIdentity(process) else { continue }
            guard let file = try OpenNetwork(of: process, in: container.name) else { continue }
            let other = CgroupMembership(of: process).otherContainer(than: container.id, own: own)
            // The process ID may belong to another process by now, and may have when the network was opened.
            guard try Self.find(name, sources) == container, identity.isAlive else { continue }
            if let other {
                // An engine notices the end of a container late, when the process ID may already be in use again.
                let reason = "its process \(process) is now one of container \(other.prefix(12))"
                failure = ContainerError(.notFound, "container \(container.name) has ended: \(reason)")
                continue
            }
            if container.sharedNetwork == .host || file.identity == FileIdentity("/proc/self/ns/net") {
                throw ContainerError(
                    .unavailable,
                    "container \(container.name) uses this machine's network, which conditions would affect as a whole",
                    remedy: "run the container with a network of its own"
                )
            }
            (self.process, self.file, self.name, start) = (identity, file, container.name, container.start)
            if case .container(let other)? = container.sharedNetwork { sharedWith = other } else { sharedWith = nil }
            return
        }
        throw failure
    }

    /// The namespace, for as long as this value exists.
    package var namespace: NetworkNamespace {
        .opened(file.descriptor, process: process.processID, name: "the network of container \(name)")
    }

    /// The open file of the namespace.
    package var descriptors: [CInt] { [file.descriptor] }

    /// The device and inode of the namespace; they are unique among namespaces that are open or in use.
    package var identity: FileIdentity { file.identity }

    /// Keeps the namespace open until this process ends.
    package func keepOpen() { _ = Unmanaged.passRetained(file) }

    private static let attempts = 5
    /// The limit for all queries together: a single one may take ten seconds.
    private static let searchTimeout = Duration.seconds(20)
    /// The names that Docker and Podman allow; runc's and crun's IDs may have a plus sign, too.
    private static var pattern: Regex<Substring> { /[A-Za-z0-9][A-Za-z0-9_.+\-]*/ }

    /// The container of this name or ID; several sources may list it.
    private static func find(_ name: String, _ sources: [any ContainerSource]) throws(ContainerError) -> Container {
        var (found, failures): ([(Container, any ContainerSource)], [ContainerError]) = ([], [])
        for source in sources {
            do throws(ContainerError) {
                for container in try source.containers(named: name) {
                    // An engine and its runtime both list a container; the engine, which comes first, has more facts
                    // about it.
                    if !found.contains(where: { $0.0.id == container.id }) { found.append((container, source)) }
                }
            } catch {
                failures.append(error)
            }
        }
        // An exact name or ID takes precedence over an ID that only starts with the word.
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
        // If a source could not be queried, the container may exist.
        if let failure = failures.first {
            let message = failures.map(\.message).joined(separator: "\n")
            let usual = failure.kind == .notPermitted ? "run it as root" : "--pid PID, of a process in the container"
            return ContainerError(failure.kind, message, remedy: failure.remedy ?? usual)
        }
        guard !sources.isEmpty else { return .noSource }
        let names = sources.flatMap { ((try? $0.running()) ?? []).map(\.name) }
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
