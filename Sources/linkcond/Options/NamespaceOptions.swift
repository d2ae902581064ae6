// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinuxSystem
import Netlink
import Sandboxing

/// In which network namespace to work.
struct NamespaceOptions: ParsableArguments {
    @Option(name: .long, help: "A network namespace by the name that \"ip netns\" shows.")
    var netns: String?

    @Option(name: .long, help: "The network namespace of a process.")
    var pid: Int32?

    mutating func validate() throws {
        guard netns == nil || pid == nil else { throw ValidationError("--netns and --pid name two namespaces.") }
    }

    /// Whether the process's own namespace is meant.
    var isOwn: Bool { netns == nil && pid == nil }

    /// Opens a connection to the kernel for the namespace in which the process is now.
    func connectHome() throws -> RouteConnection { try Self.connectHere() }

    /// Opens a connection to the kernel for the namespace in which the thread is now.
    static func connectHere() throws -> RouteConnection {
        try Failure.catching { RouteConnection(try RouteSocket()) }
    }

    /// Goes there, and opens a connection to the kernel.
    func connect() throws -> RouteConnection {
        try Failure.catching {
            if let netns { try NetworkNamespace.named(netns).enter() }
            if let pid { try NetworkNamespace.ofProcess(pid).enter() }
            return RouteConnection(try RouteSocket())
        }
    }
}

extension NamespaceOptions {
    /// Refuses what is about interfaces inside a sandbox, which has conditions of its own.
    func refuseSandbox(_ interface: String?) throws {
        guard interface != nil || !isOwn || ControlClient.ofThisSandbox == nil else {
            throw Failure(
                .unavailable,
                "this sandbox keeps its conditions until its command ends\ntry: linkcond switch PROFILE"
            )
        }
    }
}
