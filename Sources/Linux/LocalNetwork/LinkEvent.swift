// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// A change of this host's links, addresses or routes, or an interruption of the watch.
public struct LinkEvent: Hashable, Sendable {
    /// The kinds of changes.
    public enum Change: Hashable, Sendable {
        /// The link has appeared, with this status.
        case appeared(LinkStatus)
        /// The link is gone; the value is its last status.
        case vanished(LinkStatus)
        /// The link was renamed.
        case renamed(LinkStatus, from: String)
        /// The link was switched on.
        case wentUp(LinkStatus)
        /// The link was switched off.
        case wentDown(LinkStatus)
        /// The link has gained its carrier. Of several changes within a second, the kernel reports later ones late, or
        /// only the final state (linkwatch).
        case carrierGained(LinkStatus)
        /// The link lost its carrier.
        case carrierLost(LinkStatus)
        /// The link has a new address, which may not be usable yet.
        case addressAdded(InterfaceAddress)
        /// The address has become usable or deprecated, or was found to be a duplicate.
        case addressChanged(InterfaceAddress, from: InterfaceAddress)
        /// The link has lost an address.
        case addressRemoved(InterfaceAddress)
        /// There is a new route. Routes in the table `local` are not reported: they follow from the addresses.
        case routeAdded(Route)
        /// A route is gone.
        case routeRemoved(Route)
        /// Notifications were lost. The differences follow; changes that were undone in between are unknown.
        case resynced
        /// The machine was suspended for this time.
        case resumed(after: Duration)
        /// CLOCK_REALTIME was set; negative if it was set back.
        case clockSet(by: Duration)
    }

    /// The event's number, one above the previous event's; a gap shows that events were lost.
    public let sequence: UInt64
    /// The time at which the watcher received the notification, on the watcher's clock.
    public let time: Duration
    /// The change.
    public let change: Change
    /// The names of the interfaces in the change's address or route, by index, as far as they are known.
    public var interfaceNames: [Int32: String] = [:]
}

extension LinkEvent.Change {
    /// The indices of the interfaces in the change's address or route.
    var indices: [Int32] {
        switch self {
        case .addressAdded(let address), .addressChanged(let address, _), .addressRemoved(let address): [address.index]
        case .routeAdded(let route), .routeRemoved(let route): route.nextHops.map(\.index)
        default: []
        }
    }
}
