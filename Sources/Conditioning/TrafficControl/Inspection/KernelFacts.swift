// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Facts about the kernel and the network namespace that limit what can be configured.
package struct KernelFacts: Hashable, Sendable {
    package var version: KernelVersion
    /// The ports that the kernel assigns to sockets (ip(7), `ip_local_port_range`).
    package var ephemeralPorts: ClosedRange<UInt16> = 32768...60999
    /// Whether the kernel has sch_prio and act_police.
    var canPolice = true
    /// Whether the kernel has ifb and act_mirred, without which netem can only be a device's root qdisc.
    var canRedirect = true

    /// Whether a filter can let packets pass once its TAP device is gone or its pump has stopped, rather than drop them:
    /// Linux 5.12, with CAP_BPF and CAP_NET_ADMIN in the initial user namespace. Tried once per process.
    package static var canFailOpen: Bool { LoadedPrograms.areSupported }

    /// The facts about the running kernel and the current network namespace.
    package static func current() -> KernelFacts {
        var facts = KernelFacts(version: .current)
        let ports = ProcFile("/proc/sys/net/ipv4/ip_local_port_range").text.split { !$0.isNumber }
            .compactMap { UInt16($0) }
        if ports.count == 2, ports[0] <= ports[1] { facts.ephemeralPorts = ports[0]...ports[1] }
        return facts
    }
}

extension KernelVersion {
    /// The first version whose netem accepts a seed.
    package static let netemSeed = KernelVersion(6, 6)
    /// The first version that removes the Ethernet header of packets for PPP (dev_is_mac_header_xmit).
    static let barePPP = KernelVersion(6, 6)
}
