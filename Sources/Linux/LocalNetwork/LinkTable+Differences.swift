// SPDX-License-Identifier: Apache-2.0

internal import Netlink

extension LinkTable {
    /// The changes of links, addresses and routes since `before`.
    func differences(from before: LinkTable) -> [LinkEvent.Change] {
        let indexes = Set(before.devices.keys).union(devices.keys).sorted()
        let links = indexes.flatMap { Self.changes(from: before.devices[$0], to: devices[$0]) }
        return links + routeDifferences(from: before)
    }

    /// The changes of routes since `before`, in a deterministic order.
    func routeDifferences(from before: LinkTable) -> [LinkEvent.Change] {
        let gone = before.routes.filter { before.isVisible($0.value) && !(routes[$0.key].map(isVisible) ?? false) }
        let new = routes.filter { isVisible($0.value) && !(before.routes[$0.key].map(before.isVisible) ?? false) }
        return gone.values.sorted().map { .routeRemoved($0) } + new.values.sorted().map { .routeAdded($0) }
    }

    /// The changes of one device and its addresses.
    static func changes(from old: Device?, to new: Device?) -> [LinkEvent.Change] {
        let old = old.flatMap { $0.isOwn ? nil : $0 }
        let new = new.flatMap { $0.isOwn ? nil : $0 }
        switch (old, new) {
        case (nil, nil): return []
        case (nil, let new?): return [.appeared(new.status)] + new.addresses.map { .addressAdded($0) }
        case (let old?, nil): return old.addresses.map { .addressRemoved($0) } + [.vanished(old.status)]
        case (let old?, let new?):
            if new.status.isAnotherDevice(than: old.status) {
                return changes(from: old, to: nil) + changes(from: nil, to: new)
            }
            return linkChanges(from: old.status, to: new.status) + addressChanges(from: old, to: new)
        }
    }

    private static func linkChanges(from old: LinkStatus, to new: LinkStatus) -> [LinkEvent.Change] {
        var changes: [LinkEvent.Change] = []
        if old.link.name != new.link.name { changes.append(.renamed(new, from: old.link.name)) }
        if !old.link.isUp, new.link.isUp { changes.append(.wentUp(new)) }
        if old.hasCarrier != new.hasCarrier { changes.append(new.hasCarrier ? .carrierGained(new) : .carrierLost(new)) }
        if old.link.isUp, !new.link.isUp { changes.append(.wentDown(new)) }
        return changes
    }

    private static func addressChanges(from old: Device, to new: Device) -> [LinkEvent.Change] {
        let gone = old.addresses.filter { address in !new.addresses.contains { $0.isSame(as: address) } }
        let others: [LinkEvent.Change] = new.addresses.compactMap { address in
            guard let previous = old.addresses.first(where: { $0.isSame(as: address) }) else {
                return .addressAdded(address)
            }
            return previous.standing == address.standing ? nil : .addressChanged(address, from: previous)
        }
        return gone.map { .addressRemoved($0) } + others
    }

    /// The table as a `LocalState` for the watcher's users.
    var state: LocalState {
        var links: [LinkState] = []
        var ownDevices: [LinkState] = []
        for device in devices.values.sorted(by: { $0.status.link.index < $1.status.link.index }) {
            let index = device.status.link.index
            let state = LinkState(
                status: device.status,
                linkClass: device.linkClass,
                addresses: device.addresses,
                operationalState: OperationalState(
                    device.status,
                    device.addresses,
                    lacksMembers: devices.values.contains { $0.status.master == index && !$0.status.hasCarrier }
                )
            )
            if device.isOwn { ownDevices.append(state) } else { links.append(state) }
        }
        return LocalState(sequence: sequence, links: links, ownDevices: ownDevices, routesByIdentity: routes)
    }
}

extension LinkStatus {
    /// Whether the index now belongs to another device: a device's kind and hardware type never change, and its count
    /// of carrier changes only grows.
    func isAnotherDevice(than old: LinkStatus) -> Bool {
        link.kind != old.link.kind || hardwareType != old.hardwareType || carrierChanges < old.carrierChanges
    }
}

extension InterfaceAddress {
    /// Whether the kernel treats both as the same address, regardless of flags and scope.
    func isSame(as other: InterfaceAddress) -> Bool {
        address == other.address && prefixLength == other.prefixLength && peer == other.peer
    }

    /// The flags of an address that are worth reporting.
    fileprivate var standing: Flags { flags.intersection([.tentative, .optimistic, .duplicate, .deprecated]) }
}

extension Sequence<Route> {
    fileprivate func sorted() -> [Route] { sorted { $0.order.lexicographicallyPrecedes($1.order) } }
}

extension Route {
    fileprivate var order: [UInt32] {
        [table, UInt32(family.bitWidth), UInt32(prefixLength)] + destination.bytes.map(UInt32.init)
            + [metric, UInt32(kind.rawValue)] + nextHops.map { UInt32(bitPattern: $0.index) }
    }
}
