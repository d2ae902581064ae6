// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// This host's links, addresses and routes at a moment, without the watcher's own devices.
public struct LocalState: Hashable, Sendable {
    /// The number of the last event included in this state.
    public let sequence: UInt64
    /// The links, in ascending order of index.
    public let links: [LinkState]
    /// The devices that the watcher was configured to leave out; routes may still use them.
    let ownDevices: [LinkState]
    let routesByIdentity: [Route.Identity: Route]

    /// The routes outside the table `local`, in no particular order. As with the kernel's own notifications, a
    /// route's `linkDown` may be out of date by some milliseconds.
    public var routes: [Route] {
        let own = Set(ownDevices.map(\.status.link.index))
        return routesByIdentity.values.filter { !$0.leads(onlyOver: own) }
    }

    /// The link called `name`.
    public func link(named name: String) -> LinkState? { links.first { $0.status.link.name == name } }

    /// The operational state of the link called `name`; `missing` if there is none.
    public func operationalState(of name: String) -> OperationalState {
        link(named: name)?.operationalState ?? .missing
    }

    /// The device with this index, own devices included: in a sandbox, every path uses an own device.
    package func device(_ index: Int32) -> LinkState? {
        (links + ownDevices).first { $0.status.link.index == index }
    }

    /// The device of this name, own devices included.
    package func device(named name: String) -> LinkState? {
        (links + ownDevices).first { $0.status.link.name == name }
    }
}

/// One link at a moment.
public struct LinkState: Hashable, Sendable {
    /// The interface and its state.
    public let status: LinkStatus
    /// The kind of link.
    public let linkClass: LinkClass
    /// The link's addresses, in the order of their appearance.
    public let addresses: [InterfaceAddress]
    /// The operational state.
    public let operationalState: OperationalState

    /// The interface's name.
    public var name: String { status.link.name }

    /// Whether the link has a usable address of the family that is valid beyond this host.
    public func supports(_ family: IPAddress.Family) -> Bool {
        addresses.contains { $0.address.family == family && $0.isUsable && $0.scope != .host }
    }
}

extension Route {
    /// The identity of a route, including its gateways but not the fields that the kernel may change in place.
    struct Identity: Hashable, Sendable {
        let slot: Slot
        let kind: Kind
        let origin: UInt8
        let preferredSource: IPAddress?
        let hops: [Hop]
    }

    /// The key of a route in a table; a route with the same key may replace it (`ip route replace`).
    struct Slot: Hashable, Sendable {
        let destination: IPAddress
        let prefixLength: UInt8
        let table: UInt32
        let metric: UInt32
        let typeOfService: UInt8
    }

    struct Hop: Hashable, Sendable {
        let index: Int32
        let gateway: IPAddress?
    }

    var slot: Slot {
        Slot(
            destination: destination,
            prefixLength: prefixLength,
            table: table,
            metric: metric,
            typeOfService: typeOfService
        )
    }

    var identity: Identity {
        Identity(
            slot: slot,
            kind: kind,
            origin: origin,
            preferredSource: preferredSource,
            hops: nextHops.map { Hop(index: $0.index, gateway: $0.gateway) }
        )
    }

    /// Whether all next hops of the route are on interfaces in `indexes`.
    func leads(onlyOver indexes: Set<Int32>) -> Bool {
        !nextHops.isEmpty && nextHops.allSatisfy { indexes.contains($0.index) }
    }
}
