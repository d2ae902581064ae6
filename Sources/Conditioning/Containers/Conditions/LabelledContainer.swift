// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import PacketPump

/// A container with labels of linkcond, from when it is found until it has ended.
struct LabelledContainer {
    let container: Container
    let labels: ContainerLabels
    /// The container's start, as its source gives it.
    let start: String
    /// Open as long as the process has conditions to remove there.
    var network: ContainerNetwork?
    /// The process that conditions it; nil if none does.
    var keeper: ConditionsProcess?
    /// Whether its first process has ended.
    var hasEnded = false
    /// Whether the conditions have been applied, and not been removed yet.
    var hasConditions = false

    private let identity: ProcessIdentity
    /// Names the first process; nil before Linux 5.3.
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

    /// The descriptors that become readable when something has happened to it.
    var descriptors: [Int32] {
        [keeper?.channel.descriptor, hasEnded ? nil : handle?.descriptor].compactMap(\.self)
    }

    /// Whether its first process is running. Without a handle, /proc tells.
    var isRunning: Bool { handle.map { !Wait.isReadable($0.descriptor) } ?? true && identity.isAlive }
}
