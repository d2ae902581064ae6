// SPDX-License-Identifier: Apache-2.0

package import Netlink

/// A change of one object in the kernel.
package enum KernelStep: Hashable, Sendable {
    /// Adds an ifb. Packets that it sends on wait in its qdiscs, not in its own queue.
    case addIFB(String)
    /// Disables the IPv6 address generation of an ifb.
    case disableAddresses(String)
    /// Sets the alias of an ifb or a TAP device.
    case describe(String, alias: String, previous: String?)
    case bringUp(String)
    /// Adds a qdisc to an ifb; its link index is filled in when the ifb exists.
    case addQdisc(String, Qdisc)
    /// Adds a qdisc to the conditioned device, at its root or below a qdisc that an earlier step added.
    case addRootQdisc(String, Qdisc)
    /// Changes the options of a qdisc on the conditioned device; the qdisc keeps its packets.
    case changeRootQdisc(String, Qdisc, previous: Qdisc)
    /// Deletes linkcond's root qdisc, and the packets in it. The kernel attaches its default again.
    case deleteRootQdisc(String)
    /// Adds a policer to the prio qdisc of an ifb.
    case addPolicer(String, Policer)
    /// Adds clsact to the conditioned device.
    case addHook(String)
    case addFilter(LaneFilter)
    /// Replaces a filter atomically.
    case replaceFilter(LaneFilter, previous: LaneFilter)
    case deleteFilter(LaneFilter)
    /// Deletes an ifb or a TAP device. A pump ends with the last of its TAP devices.
    case deleteDevice(String)
    /// Deletes clsact from the conditioned device, unless another program's filter is there.
    case deleteHook(String)
    /// Redirects the packets that a pump writes to its TAP device: to the egress of `device` or, if `arrives`, to its
    /// ingress.
    case addReturn(tap: String, device: String, arrives: Bool)
    /// Adds a filter to the egress hook that ends classification for packets from a TAP device.
    case addPassFilter(device: String, tap: String, pass: ReturnPass)
    /// Deletes a filter that `addPassFilter` added.
    case deletePassFilter(device: String, pass: ReturnPass)
    /// Sets the MTU of the conditioned device.
    case setMTU(String, UInt32, previous: UInt32)

    /// The step that undoes this one; nil if none is needed or possible.
    package var undo: KernelStep? {
        switch self {
        case .addIFB(let name): .deleteDevice(name)
        case .describe(let name, let alias, let previous):
            previous.map { .describe(name, alias: $0, previous: alias) }
        case .addRootQdisc(let device, let qdisc): qdisc.parent == .root ? .deleteRootQdisc(device) : nil
        case .changeRootQdisc(let device, let qdisc, let previous):
            .changeRootQdisc(device, previous, previous: qdisc)
        case .addHook(let device): .deleteHook(device)
        case .addFilter(let filter): .deleteFilter(filter)
        case .replaceFilter(let filter, let previous): .replaceFilter(previous, previous: filter)
        case .deleteFilter(let filter): .addFilter(filter)
        case .setMTU(let device, let mtu, let previous): .setMTU(device, previous, previous: mtu)
        case .addPassFilter(let device, _, let pass): .deletePassFilter(device: device, pass: pass)
        case .disableAddresses, .bringUp, .addQdisc, .addPolicer, .deleteDevice, .deleteHook, .addReturn,
            .deletePassFilter,
            .deleteRootQdisc:
            nil
        }
    }
}
