// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Containers
import Glibc
import LinkConditioning
import LinuxSystem
import Reports
import SandboxClient

/// The network namespace to work in.
struct NamespaceOptions: ParsableArguments {
    @Option(name: .long, help: "The network namespace of this name, as in \"ip netns\".")
    var netns: String?

    @Option(name: .long, help: "The network namespace of this process.")
    var pid: Int32?

    @Option(
        name: .long,
        help: "The network namespace of this container of Docker, Podman, containerd, runc or crun: its name or ID."
    )
    var container: String?

    mutating func validate() throws {
        guard [netns, pid.map(String.init), container].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("--netns, --pid and --container cannot be combined.")
        }
    }

    /// Whether no other namespace is named.
    var isOwn: Bool { netns == nil && pid == nil && container == nil }

    /// The option that names it: ("container", "web"); nil for no other namespace.
    var option: (name: String, value: String)? {
        netns.map { ("netns", $0) } ?? pid.map { ("pid", "\($0)") } ?? container.map { ("container", $0) }
    }

    /// The option, to be added to a command's line: " --container web".
    var words: String { option.map { " --\($0.name) \($0.value.shellWord)" } ?? "" }

    /// Finds the named namespace; nil for this one. Says which other container has it, too.
    func namespace() throws -> NetworkNamespace? {
        guard let container else { return netns.map { .named($0) } ?? pid.map { .ofProcess($0) } }
        let network = try ContainerNetwork(of: container, ContainerSources.here())
        network.keepOpen()
        if let other = network.sharedWith {
            Console.notes("note: \(container) uses the network of container \(other), which is affected, too")
        }
        return network.namespace
    }

    /// Moves this process into the namespace for good, if one is named, and lets /sys show its interfaces.
    ///
    /// - Returns: what conditions the namespace's interfaces; nil if none is named.
    func join(_ command: String) throws -> InterfaceConditioner? {
        guard !isOwn else { return nil }
        let conditioner = try conditioner(command)
        if !InterfaceFiles.showInOwnMounts() {
            Console.notes("note: /sys still shows the interfaces of the network outside")
        }
        return conditioner
    }

    /// Enters the namespace and makes a conditioner for it.
    func conditioner(_ command: String) throws -> InterfaceConditioner {
        try InterfaceConditioner(in: namespace(), command: command) { Console.notes("note: \($0.words(in: words))") }
    }
}

/// A command that may work in another network, which what it tells to type next must name.
protocol NetworkCommand: ParsableCommand {
    var namespace: NamespaceOptions { get }
}

extension Linkcond.Apply: NetworkCommand {}
extension Linkcond.Capture: NetworkCommand {}
extension Linkcond.Confirm: NetworkCommand {}
extension Linkcond.Export: NetworkCommand {}
extension Linkcond.Monitor: NetworkCommand {}
extension Linkcond.Off: NetworkCommand {}
extension Linkcond.On: NetworkCommand {}
extension Linkcond.Reset: NetworkCommand {}
extension Linkcond.Run: NetworkCommand {}
extension Linkcond.Show: NetworkCommand {}
extension Linkcond.Status: NetworkCommand {}
extension Linkcond.Switch: NetworkCommand {}

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
