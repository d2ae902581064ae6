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
    @Option(
        name: .long,
        help: ArgumentHelp("The network namespace of this name, as in \"ip netns\".", valueName: "NETNS")
    )
    var netns: String?

    @Option(name: .long, help: ArgumentHelp("The network namespace of this process.", valueName: "PID"))
    var pid: Int32?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The network namespace of this container of Docker, Podman, containerd, runc or crun: its name or ID.",
            valueName: "CONTAINER"
        )
    )
    var container: String?

    mutating func validate() throws {
        guard [netns, pid.map(String.init), container].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("--netns, --pid and --container cannot be combined.")
        }
    }

    /// Whether no other namespace is given.
    var isOwn: Bool { netns == nil && pid == nil && container == nil }

    /// The option that names the namespace, such as ("container", "web"); nil if none is given.
    var option: (name: String, value: String)? {
        netns.map { ("netns", $0) } ?? pid.map { ("pid", "\($0)") } ?? container.map { ("container", $0) }
    }

    /// The option as text to append to a command line, such as " --container web"; empty if none is given.
    var words: String { option.map { " --\($0.name) \($0.value.shellWord)" } ?? "" }

    /// Finds the named namespace; nil for this process's. Prints a note if another container shares the namespace.
    func namespace() throws -> NetworkNamespace? {
        guard let container else { return netns.map { .named($0) } ?? pid.map { .ofProcess($0) } }
        let network = try ContainerNetwork(of: container, ContainerSources.here())
        network.keepOpen()
        if let other = network.sharedWith {
            Console.failure("note: \(container) uses the network of container \(other), which is affected, too")
        }
        return network.namespace
    }

    /// Moves this process into the namespace for good, if one is named, and makes /sys show its interfaces.
    ///
    /// - Returns: a conditioner for the namespace's interfaces; nil if none is named.
    func join(_ command: String) throws -> InterfaceConditioner? {
        guard !isOwn else { return nil }
        let conditioner = try conditioner(command)
        if !InterfaceFiles.showInOwnMounts() {
            Console.failure("note: /sys still shows the interfaces of the network outside")
        }
        return conditioner
    }

    /// Enters the namespace, and makes a conditioner for it.
    ///
    /// - Parameter isVerbose: whether to print notes that only explain a choice.
    func conditioner(_ command: String, isVerbose: Bool = false) throws -> InterfaceConditioner {
        try InterfaceConditioner(in: namespace(), command: command) { note in
            if isVerbose || !note.isDetail { Console.failure("note: \(note.words(in: words))") }
        }
    }
}

/// A command that may work in another network namespace, which the commands that it suggests have to name, too.
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
    /// The supervisor of the sandbox that the command is about; nil outside of one, and if an interface or another
    /// namespace is named.
    func sandbox(_ interface: String?) -> ControlClient? {
        interface == nil && isOwn ? ControlClient.ofThisSandbox : nil
    }
}
