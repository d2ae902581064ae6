// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// This host's links, addresses and routes at a moment, without the watcher's own devices.
public struct LocalState: Hashable, Sendable {
    /// The number of the last event that it includes.
    public let sequence: UInt64
    /// The links, by rising number.
    public let links: [LinkState]
    /// The devices that the watcher was told to leave out, which routes may lead over nevertheless.
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

    /// The device with this number, own devices included: within a sandbox every path leads over one.
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
    /// The interface and what it is doing.
    public let status: LinkStatus
    /// The kind of link.
    public let linkClass: LinkClass
    /// The link's addresses, in the order in which they came.
    public let addresses: [InterfaceAddress]
    /// The operational state.
    public let operationalState: OperationalState

    /// The interface's name.
    public var name: String { status.link.name }

    /// Whether it has an address of the family that holds beyond this host, and may be used.
    public func supports(_ family: IPAddress.Family) -> Bool {
        addresses.contains { $0.address.family == family && $0.isUsable && $0.scope != .host }
    }
}

extension Route {
    /// The identity of a route, with the routers but without the fields that the kernel changes in passing.
    struct Identity: Hashable, Sendable {
        let slot: Slot
        let kind: Kind
        let origin: UInt8
        let preferredSource: IPAddress?
        let hops: [Hop]
    }

    /// The position in a table, in which a route may replace another (`ip route replace`).
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

    /// Whether it needs these interfaces, or one of them.
    func leads(onlyOver indexes: Set<Int32>) -> Bool {
        !nextHops.isEmpty && nextHops.allSatisfy { indexes.contains($0.index) }
    }
}
