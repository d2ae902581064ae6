// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinuxSystem
import SandboxClient

/// The network namespace to work in.
struct NamespaceOptions: ParsableArguments {
    @Option(name: .long, help: "The network namespace of this name, as in \"ip netns\".")
    var netns: String?

    @Option(name: .long, help: "The network namespace of this process.")
    var pid: Int32?

    mutating func validate() throws {
        guard netns == nil || pid == nil else { throw ValidationError("--netns and --pid cannot be combined.") }
    }

    /// Whether no other namespace is named.
    var isOwn: Bool { netns == nil && pid == nil }

    /// The named namespace; nil for this one.
    var namespace: NetworkNamespace? {
        netns.map { .named($0) } ?? pid.map { .ofProcess($0) }
    }

    /// Enters the namespace and makes a conditioner for it.
    func conditioner(_ command: String) throws -> InterfaceConditioner {
        try InterfaceConditioner(in: namespace, command: command) { Console.notes("note: \($0.words)") }
    }
}

extension NamespaceOptions {
    /// Throws inside a sandbox, which has its own conditions.
    func refuseSandbox(_ interface: String?) throws {
        guard interface != nil || !isOwn || ControlClient.ofThisSandbox == nil else {
            throw Failure(
                .unavailable,
                "this sandbox keeps its conditions until its command ends\ntry: linkcond switch PROFILE"
            )
        }
    }
}
