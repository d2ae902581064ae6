// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
public import Netlink

/// One step of a plan: something done to one named object of the kernel.
public enum Operation: Hashable, Sendable {
    /// Makes an ifb. What sends on through it waits in its qdiscs, so its own queue is only a passage.
    case addIFB(String)
    /// Keeps IPv6 from giving an ifb an address.
    case disableAddresses(String)
    /// Says in the alias of an ifb or a TAP device what it is.
    case describe(String, alias: String, previous: String?)
    /// Brings an ifb up.
    case bringUp(String)
    /// Adds a qdisc to an ifb; its link index is filled in when the ifb exists.
    case addQdisc(String, Qdisc)
    /// Adds clsact to the conditioned device.
    case addHook(String)
    /// Lets a filter take effect.
    case addFilter(LaneFilter)
    /// Puts a filter in another's place, between two packets.
    case replaceFilter(LaneFilter, previous: LaneFilter)
    /// Takes a filter away.
    case deleteFilter(LaneFilter)
    /// Waits until an ifb holds no packets, at most for this long.
    case drain(String, atMost: Duration)
    /// Deletes an ifb, or a pump's TAP device, with whose last the pump ends.
    case deleteDevice(String)
    /// Deletes clsact from the conditioned device, unless somebody's filter is there.
    case deleteHook(String)
    /// Sends what a pump writes to its TAP device on: to leave by the conditioned device, or to arrive at it.
    case addReturn(tap: String, device: String, arrives: Bool)
    /// Lets packets that come back from a TAP device pass all filters behind this place of the egress hook.
    case addPass(device: String, tap: String, pass: ReturnPass)
    /// Takes such a filter away.
    case deletePass(device: String, pass: ReturnPass)
    /// Has the pump that serves a TAP device use other conditions.
    case condition(tap: String, Profile)
    /// Has it use those that it had before.
    case revertConditions(tap: String)
    /// Waits until the pump that serves a TAP device holds no packets, at most for this long.
    case drainPump(tap: String, atMost: Duration)
    /// Sets what loopback takes from a pump.
    case setLoopback(String, LoopbackSettings, previous: LoopbackSettings)
    /// Sets the largest packet of the conditioned device.
    case setMTU(String, UInt32, previous: UInt32)

    /// Whether it only waits for packets.
    public var isDrain: Bool {
        switch self {
        case .drain, .drainPump: true
        default: false
        }
    }

    /// What takes the operation back; nil where there is nothing to take back, or no way.
    public var undo: Operation? {
        switch self {
        case .addIFB(let name): .deleteDevice(name)
        case .describe(let name, let alias, let previous):
            previous.map { .describe(name, alias: $0, previous: alias) }
        case .addHook(let device): .deleteHook(device)
        case .addFilter(let filter): .deleteFilter(filter)
        case .replaceFilter(let filter, let previous): .replaceFilter(previous, previous: filter)
        case .deleteFilter(let filter): .addFilter(filter)
        case .setMTU(let device, let mtu, let previous): .setMTU(device, previous, previous: mtu)
        case .setLoopback(let device, let settings, let previous):
            .setLoopback(device, previous, previous: settings)
        case .addPass(let device, _, let pass): .deletePass(device: device, pass: pass)
        case .condition(let tap, _): .revertConditions(tap: tap)
        case .disableAddresses, .bringUp, .addQdisc, .drain, .deleteDevice, .deleteHook, .addReturn, .deletePass,
            .revertConditions, .drainPump:
            nil
        }
    }
}
