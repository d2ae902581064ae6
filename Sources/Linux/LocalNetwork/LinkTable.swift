// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The links, addresses and routes that the kernel has reported, and the changes among them. Pure.
struct LinkTable: Sendable {
    struct Device: Hashable, Sendable {
        var status: LinkStatus
        var linkClass: LinkClass
        /// Whether the watcher was configured to leave this device out.
        var isOwn = false
        var addresses: [InterfaceAddress] = []
    }

    private(set) var devices: [Int32: Device] = [:]
    private(set) var routes: [Route.Identity: Route] = [:]
    /// The number of routes in each slot.
    private var slots: [Route.Slot: Int] = [:]
    /// The families whose routes have to be read again, since the kernel may have changed them without a notification,
    /// or with an ambiguous one.
    private var doubts: Set<IPAddress.Family> = []
    private(set) var sequence: UInt64 = 0
    private let isOwnDevice: @Sendable (Link) -> Bool
    private let facts: @Sendable (LinkStatus) -> DeviceFacts

    init(
        isOwnDevice: @escaping @Sendable (Link) -> Bool = { _ in false },
        facts: @escaping @Sendable (LinkStatus) -> DeviceFacts = DeviceFacts.read
    ) {
        self.isOwnDevice = isOwnDevice
        self.facts = facts
    }

    /// Applies one notification; returns the changes.
    mutating func apply(_ notification: RouteMonitor.Notification, at time: Duration) -> [LinkEvent] {
        events(apply(notification), at: time)
    }

    /// Replaces the table by a dump, then applies the notifications received since the dump started; returns `resynced`
    /// and the differences.
    mutating func resynchronise(
        _ dump: LocalDump,
        _ notifications: [RouteMonitor.Notification],
        at time: Duration
    ) -> [LinkEvent] {
        let before = self
        load(dump, notifications)
        return events([.resynced] + differences(from: before), at: time)
    }

    /// Replaces the table by a dump and notifications, without returning changes.
    mutating func load(_ dump: LocalDump, _ notifications: [RouteMonitor.Notification]) {
        (devices, routes, slots, doubts) = ([:], [:], [:], [])
        for status in dump.links { _ = apply(.link(status)) }
        for address in dump.addresses { _ = apply(.address(address)) }
        for route in dump.routes { insert(route) }
        doubts = []
        for notification in notifications { _ = apply(notification) }
    }

    /// Replaces one family's routes by a dump.
    mutating func replaceRoutes(of family: IPAddress.Family, with dump: [Route], at time: Duration) -> [LinkEvent] {
        let before = self
        for (identity, route) in routes where route.family == family { remove(identity) }
        for route in dump { insert(route) }
        return events(routeDifferences(from: before), at: time)
    }

    /// Returns the families whose routes have to be read again, and clears the list.
    mutating func dequeueDoubts() -> Set<IPAddress.Family> {
        defer { doubts = [] }
        return doubts
    }

    /// Makes numbered events of changes, with the names of their interfaces.
    mutating func events(_ changes: [LinkEvent.Change], at time: Duration) -> [LinkEvent] {
        changes.map { change in
            sequence += 1
            var event = LinkEvent(sequence: sequence, time: time, change: change)
            for index in change.indices {
                if let name = devices[index]?.status.link.name { event.interfaceNames[index] = name }
            }
            return event
        }
    }

    private mutating func apply(_ notification: RouteMonitor.Notification) -> [LinkEvent.Change] {
        switch notification {
        case .link(let status):
            let old = devices[status.link.index].flatMap { status.isAnotherDevice(than: $0.status) ? nil : $0 }
            let linkClass = old?.status.link.name == status.link.name ? old?.linkClass : nil
            let device = Device(
                status: status,
                linkClass: linkClass ?? LinkClass(status, facts(status)),
                isOwn: isOwnDevice(status.link),
                addresses: old?.addresses ?? []
            )
            return replace(status.link.index, with: device)
        case .linkGone(let index):
            return replace(index, with: nil)
        case .address(let address), .addressGone(let address):
            // The device is gone already.
            guard var device = devices[address.index] else { return [] }
            let isGone = if case .addressGone = notification { true } else { false }
            if isGone, address.address.family == .ipv4 { doubts.insert(.ipv4) }
            device.put(address, isGone: isGone)
            return replace(address.index, with: device)
        case .route(let route): return apply(route)
        case .routeGone(let route):
            guard routes[route.identity] != nil else {
                // The route may be one hop of a multipath route (IPv6 reports only that hop).
                if slots[route.slot] != nil { doubts.insert(route.family) }
                return []
            }
            remove(route.identity)
            return isVisible(route) ? [.routeRemoved(route)] : []
        }
    }

    private mutating func apply(_ route: Route) -> [LinkEvent.Change] {
        guard route.isReported else { return [] }
        if routes[route.identity] != nil {
            routes[route.identity] = route
            return []
        }
        // The route may be a second one in its slot, replace the first, or contain it as one of several next hops.
        guard slots[route.slot] == nil, route.nextHops.allSatisfy({ devices[$0.index] != nil }) else {
            doubts.insert(route.family)
            return []
        }
        insert(route)
        return isVisible(route) ? [.routeAdded(route)] : []
    }

    private mutating func replace(_ index: Int32, with new: Device?) -> [LinkEvent.Change] {
        let old = devices[index]
        guard old != new else { return [] }
        // The kernel deletes IPv4 routes with their interface, and changes `linkdown` with the carrier, without a
        // notification.
        if old?.status.link.isUp != new?.status.link.isUp || old?.status.hasCarrier != new?.status.hasCarrier {
            doubts = [.ipv4, .ipv6]
        }
        let before = old?.isOwn != new?.isOwn || new == nil ? self : nil
        devices[index] = new
        if new == nil {
            for (identity, route) in routes where route.leads(onlyOver: [index]) { remove(identity) }
        }
        let changes = Self.changes(from: old, to: new)
        guard let before else { return changes }
        // Routes that go with a link are reported before it, routes that come with it after it.
        let routeChanges = routeDifferences(from: before)
        return new == nil || new?.isOwn == true ? routeChanges + changes : changes + routeChanges
    }

    private mutating func insert(_ route: Route) {
        guard route.isReported else { return }
        if routes.updateValue(route, forKey: route.identity) == nil { slots[route.slot, default: 0] += 1 }
    }

    private mutating func remove(_ identity: Route.Identity) {
        guard routes.removeValue(forKey: identity) != nil, let count = slots[identity.slot] else { return }
        slots[identity.slot] = count == 1 ? nil : count - 1
    }

    /// Whether the route is reported: not if all its next hops are on own devices.
    func isVisible(_ route: Route) -> Bool {
        route.nextHops.isEmpty || !route.nextHops.allSatisfy { devices[$0.index]?.isOwn == true }
    }
}

/// All links, addresses and routes, read one after the other.
struct LocalDump: Sendable {
    var links: [LinkStatus] = []
    var addresses: [InterfaceAddress] = []
    var routes: [Route] = []
}

extension LinkTable.Device {
    /// Adds, changes or removes an address.
    fileprivate mutating func put(_ address: InterfaceAddress, isGone: Bool) {
        switch (addresses.firstIndex { $0.isSame(as: address) }, isGone) {
        case (let index?, true): addresses.remove(at: index)
        case (let index?, false): addresses[index] = address
        case (nil, false): addresses.append(address)
        case (nil, true): break
        }
    }
}

extension Route {
    private static let localTable: UInt32 = 255

    /// Whether the route is reported: the table `local` only mirrors the addresses, and a cached route is no table
    /// entry.
    fileprivate var isReported: Bool { table != Self.localTable && !isCached }
}
