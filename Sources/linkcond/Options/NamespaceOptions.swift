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

    /// The namespace that is named.
    private var namespace: NetworkNamespace? {
        netns.map { .named($0) } ?? pid.map { .ofProcess($0) }
    }

    /// Enters the namespace, and conditions its interfaces from there.
    func conditioner(_ command: String) throws -> InterfaceConditioner {
        try Failure.catching {
            try InterfaceConditioner(in: namespace, command: command) { Console.note("note: \($0)") }
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
