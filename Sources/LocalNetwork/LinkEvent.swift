// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// A change of this host's links, addresses or routes, or of what the watcher can know of them.
public struct LinkEvent: Hashable, Sendable {
    /// What has changed.
    public enum Change: Hashable, Sendable {
        /// The interface is there, in this condition.
        case appeared(LinkStatus)
        /// It is gone; its last condition.
        case vanished(LinkStatus)
        /// It has another name.
        case renamed(LinkStatus, from: String)
        /// It was switched on.
        case wentUp(LinkStatus)
        /// It was switched off.
        case wentDown(LinkStatus)
        /// It has a carrier again. The kernel tells repeats within a second late, or only their outcome (linkwatch).
        case carrierGained(LinkStatus)
        /// It has none any more.
        case carrierLost(LinkStatus)
        /// It has an address, maybe one that is not usable yet.
        case addressAdded(InterfaceAddress)
        /// The address has become usable, deprecated, or proved a duplicate.
        case addressChanged(InterfaceAddress, from: InterfaceAddress)
        /// It has lost an address.
        case addressRemoved(InterfaceAddress)
        /// There is a new route. Those of the table `local` are not told: they follow from the addresses.
        case routeAdded(Route)
        /// A route is gone.
        case routeRemoved(Route)
        /// Notifications were lost; what differs from before follows, what came and went in between is unknown.
        case resynced
        /// The machine slept so long.
        case resumed(after: Duration)
        /// Somebody set the clock on, or, below zero, back.
        case clockSet(by: Duration)
    }

    /// The events' numbers rise by one; a gap is a loss.
    public let sequence: UInt64
    /// When the watcher learnt of it, on the clock given to it.
    public let time: Duration
    /// What has changed.
    public let change: Change
}
