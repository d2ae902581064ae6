// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import PacketPump

/// A container with linkcond's labels, from its discovery until its end.
struct LabelledContainer {
    let container: Container
    let labels: ContainerLabels
    /// The container's start time, in the text of its source.
    let start: String
    /// The container's network; open as long as the process has conditions to remove there.
    var network: ContainerNetwork?
    /// The process that conditions the container; nil if there is none.
    var keeper: ConditionsProcess?
    /// Whether the container's first process has ended.
    var hasEnded = false
    /// Whether the conditions have been applied and not yet removed.
    var hasConditions = false

    private let identity: ProcessIdentity
    /// A handle for the first process; nil before Linux 5.3.
    private let handle: ProcessHandle?

    init(
        _ container: Container,
        _ labels: ContainerLabels,
        _ network: ContainerNetwork,
        _ keeper: ConditionsProcess?
    ) {
        (self.container, self.labels, self.network, self.keeper) = (container, labels, network, keeper)
        (identity, start) = (network.process, network.start)
        handle = try? ProcessHandle(network.process.processID)
    }

    /// The descriptors that become readable when the container ends or the conditioning process reports or ends.
    var descriptors: [Int32] {
        [keeper?.channel.descriptor, hasEnded ? nil : handle?.descriptor].compactMap(\.self)
    }

    /// Whether the container's first process is running, by the handle and by /proc.
    var isRunning: Bool { handle.map { !Wait.isReadable($0.descriptor) } ?? true && identity.isAlive }
}
