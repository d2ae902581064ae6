// SPDX-License-Identifier: Apache-2.0

internal import Gateway
import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// The interface of a sandbox's uplink, whose network a scenario may change.
///
/// Used on a single thread: the one that changes conditions.
final class UplinkDevice {
    private let connection: RouteConnection
    private let gateway: GatewayProcess
    let name: String
    let index: Int32
    /// The interface's routes and rules beside other uplinks; nil for the only one.
    let multihoming: Multihoming?
    /// The lines of resolv.conf(5) in the sandbox.
    private(set) var resolverLines: [String]
    /// Addresses of other hosts in the uplink's network, besides its routers: the name servers.
    private var taken: [IPAddress]
    /// The state of the uplink's network.
    var state = NetworkState()
    private var mtu = NetworkSettings.mtu
    /// Whether a scenario changes the ports of NAT mappings: then there is a translator from the start.
    private var isRebound = false
    /// The idle time after which the network's translator forgets a connection; nil for never.
    private var idle: Duration?
    /// The IPv6 addresses and routes that were removed.
    private var removed: (addresses: [HostAddress], routes: [Route]) = ([], [])

    /// The old addresses that stay during a hand-over, each with its new address and the routes before the change.
    private var leaving: [(old: HostAddress, new: IPAddress, routes: [Route])] = []

    /// The IPv4 addresses and routes before their removal; nil while there is IPv4.
    var beforeIPv6Only: BeforeIPv6Only?

    /// The uplink's number, from 0.
    private var number: Int { multihoming?.number ?? 0 }
    /// Whether this is the first uplink, or the only one.
    var isFirst: Bool { number == 0 }

    struct HostAddress {
        var address: IPAddress
        let prefixLength: UInt8
    }

    /// The addresses from which Multipath TCP opens paths, each with its identifier.
    var announced: [(address: IPAddress, identifier: UInt8)] = []

    /// - Parameters:
    ///   - name: the name of an existing interface.
    ///   - gateway: the gateway that serves the interface.
    ///   - multihoming: the routes and rules beside other uplinks; nil for the only one.
    ///   - resolverLines: the lines of resolv.conf(5) in the sandbox.
    init(
        named name: String,
        _ connection: RouteConnection,
        gateway: GatewayProcess,
        addresses: UplinkAddresses,
        multihoming: Multihoming?,
        resolverLines: [String]
    ) throws(ConditioningError) {
        (self.name, self.connection, self.gateway) = (name, connection, gateway)
        (self.multihoming, self.resolverLines) = (multihoming, resolverLines)
        taken = addresses.nameServers.map(\.inside)
        index = try answer(connection.link(named: name)).index
    }

    /// Switches to the machine's new name servers.
    func use(_ addresses: UplinkAddresses, resolverLines: [String]) throws(ConditioningError) {
        (self.resolverLines, taken) = (resolverLines, addresses.nameServers.map(\.inside))
        try resolveAsNow()
    }

    /// Gives a new interface its addresses and routes.
    func configure(_ addresses: UplinkAddresses) throws(ConditioningError) {
        for network in [addresses.ipv4, addresses.ipv6].compactMap(\.self) {
            try add(network.own, prefixLength: network.prefixLength)
        }
        for destination in [AddressPrefix("0.0.0.0/0")].compactMap(\.self) + addresses.destinations {
            guard let router = destination.isIPv4 ? addresses.ipv4.router : addresses.ipv6?.router,
                let network = IPAddress(bytes: destination.bytes)
            else { continue }
            var route = Route(to: network, prefixLength: UInt8(destination.length), via: router, on: index)
            route.metric = multihoming?.metric ?? 0
            try perform(RouteRequest.add(route))
            guard let multihoming else { continue }
            route.table = multihoming.table
            try perform(RouteRequest.add(route))
        }
        try addSourceRules(addresses)
        try announce()
    }

    /// Prepares the interface for changes, or throws the reason why a change is not possible.
    func prepare(for changes: NetworkChanges) throws(ConditioningError) {
        if changes.link != nil { try prepareForCarrierChanges() }
        if changes.address != nil || changes.handOver != nil { _ = try replacements() }
        if changes.nat != nil { isRebound = true }
    }

    /// Has the kernel ignore the interface's routes while it has no carrier, so that clients learn at once that the
    /// network is unreachable, as if a network service had removed the routes. They are used again with the carrier.
    private func prepareForCarrierChanges() throws(ConditioningError) {
        for family in ["ipv4", "ipv6"] {
            let setting = ProcFile("/proc/sys/net/\(family)/conf/\(name)/ignore_routes_with_linkdown")
            // A kernel without IPv6 lacks the setting.
            if setting.firstLine != nil { try set(setting, to: "1") }
        }
        do {
            try connection.perform(LinkRequest.setCarrier(true, of: name))
        } catch {
            throw ConditioningError(.unsupported, "\(error): changes of a TUN device's carrier need Linux 5.0")
        }
    }

    /// Sets the interface's carrier, and waits until the kernel has changed the routes.
    func setCarrier(_ hasCarrier: Bool) throws(ConditioningError) {
        try perform(LinkRequest.setCarrier(hasCarrier, of: name))
        state.isUp = hasCarrier
        // The routes follow the operational state: up to a second later.
        try wait { () throws(ConditioningError) in
            (try answer(connection.linkStatus(named: name)).operationalState == .down) != hasCarrier
        }
        try announce()
    }

    /// Waits until the kernel has done its work: no longer than 2 s, since all users of the sandbox wait, too.
    private func wait(until isDone: () throws(ConditioningError) -> Bool) throws(ConditioningError) {
        let deadline = BootClock.now + .seconds(2)
        while try !isDone(), BootClock.now < deadline { usleep(1000) }
    }

    /// Throws the reason if the interface cannot carry out a profile's network settings.
    func check(_ profile: Profile) throws(ConditioningError) {
        guard profile.ipv6 == .only, !isFirst else { return }
        throw ConditioningError(
            .unsupported,
            "\"ipv6\": \"only\" of \"\(profile.name)\" on \(name): only the first of several uplinks can be without IPv4"
        )
    }

    /// Applies a profile's network settings; returns whether the state that decides about packets has changed.
    func use(_ profile: Profile) throws(ConditioningError) -> Bool {
        let mtu = profile.mtu.map(UInt32.init) ?? NetworkSettings.mtu
        if mtu != self.mtu { try perform(LinkRequest.setMTU(mtu, of: name)) }
        self.mtu = mtu
        let before = state
        state.translation = profile.translation ?? (isRebound ? AddressTranslation() : nil)
        let ipv6 = profile.ipv6 ?? .works
        // Without IPv4, the network has a NAT64, which has no idle timeout.
        let idle = ipv6 == .only ? nil : state.translation?.idle
        if idle != self.idle { gateway.forget(after: idle, on: number) }
        self.idle = idle
        guard ipv6 != state.ipv6 else { return state != before }
        // End it first: no address that is now removed or restored may be due to be removed later.
        try endHandOver()
        if state.ipv6 == .only { try restoreIPv4() }
        if ipv6 == .absent { try removeIPv6() }
        if state.ipv6 == .absent { try restoreIPv6() }
        if ipv6 == .only { try removeIPv4() }
        state.ipv6 = ipv6
        try announce()
        return true
    }

    private func removeIPv6() throws(ConditioningError) {
        let setting = ProcFile("/proc/sys/net/ipv6/conf/\(name)/disable_ipv6")
        guard setting.firstLine == "0" else { return }
        removed = (try ownAddresses().filter { $0.address.family == .ipv6 }, try routes(.ipv6))
        try set(setting, to: "1")
    }

    private func restoreIPv6() throws(ConditioningError) {
        let settings = "/proc/sys/net/ipv6/conf/\(name)"
        guard ProcFile("\(settings)/disable_ipv6").firstLine == "1", !removed.routes.isEmpty else { return }
        // Addresses and routes are restored here, at once, and not by the router's next advertisement.
        try set(ProcFile("\(settings)/accept_ra"), to: "0")
        try set(ProcFile("\(settings)/disable_ipv6"), to: "0")
        for own in removed.addresses {
            try add(own.address, prefixLength: own.prefixLength)
        }
        for route in removed.routes where route.origin != Self.kernel { try perform(RouteRequest.add(route)) }
        removed = ([], [])
    }

    /// Gives every mapping of the network's IPv4 address translator another port, so that open connections are lost.
    func rebind() throws(ConditioningError) {
        gateway.lose(try ownAddresses().map(\.address).filter { $0.family == .ipv4 }, of: number)
        state.rebinds += 1
    }

    /// Replaces each of the host's addresses by another one of the same network; returns the new ones.
    ///
    /// - Parameter keepsOld: whether the old addresses stay until ``endHandOver()``. New connections use the new ones.
    func renumber(keepsOld: Bool = false) throws(ConditioningError) -> [IPAddress] {
        try endHandOver()
        let replacements = try replacements()
        let routes = try routes(.ipv4) + routes(.ipv6)
        for (old, new) in replacements where !removed.addresses.contains(where: { $0.address == old.address }) {
            let settings = "/proc/sys/net/\(old.address.family.rawValue)/conf/\(name)"
            switch old.address.family {
            // Without this setting, the new address, a secondary one, would be deleted with the old one.
            case .ipv4: try set(ProcFile("\(settings)/promote_secondaries"), to: "1")
            // Without this setting, the router's next advertisement would bring the old address back.
            case .ipv6: try set(ProcFile("\(settings)/autoconf"), to: "0")
            }
            try add(new, prefixLength: old.prefixLength)
            guard !keepsOld else {
                try prefer(new, to: old, routes)
                continue
            }
            gateway.lose([old.address] + [state.translatedAddress].compactMap(\.self), of: number)
            try perform(AddressRequest.delete(old.address, prefixLength: old.prefixLength, of: index))
            // With the address, the kernel deletes routes with it as preferred source; it restores only those that it
            // made.
            for route in routes where route.preferredSource == old.address && route.origin != Self.kernel {
                try perform(RouteRequest.add(route, preferredSource: new))
            }
        }
        removed.addresses = removed.addresses.map { own in
            let new = replacements.first { $0.old.address == own.address }?.new
            return HostAddress(address: new ?? own.address, prefixLength: own.prefixLength)
        }
        state.addresses = leaving.map(\.old.address) + replacements.map(\.new)
        try announce()
        return replacements.map(\.new)
    }

    /// Has new connections use the new address during a hand-over.
    private func prefer(_ new: IPAddress, to old: HostAddress, _ routes: [Route]) throws(ConditioningError) {
        switch new.family {
        // IPv4 has no deprecated addresses, but each route has a preferred source: the route to the own network, too.
        case .ipv4:
            let routes = routes.filter { $0.family == .ipv4 }
            leaving.append((old, new, routes))
            for route in routes { try perform(RouteRequest.replace(route, preferredSource: new)) }
        case .ipv6:
            leaving.append((old, new, []))
            try perform(AddressRequest.deprecate(old.address, prefixLength: old.prefixLength, of: index))
        }
    }

    /// Removes the old addresses of a hand-over, and restores the routes' preferred sources.
    func endHandOver() throws(ConditioningError) {
        let ended = leaving
        leaving = []
        for (old, new, routes) in ended {
            state.addresses?.removeAll { $0 == old.address }
            gateway.lose([old.address], of: number)
            try perform(AddressRequest.delete(old.address, prefixLength: old.prefixLength, of: index))
            for route in routes {
                let source = route.preferredSource == old.address ? new : nil
                try perform(RouteRequest.replace(route, preferredSource: source))
            }
        }
        if !ended.isEmpty { try announce() }
    }

    /// RTPROT_KERNEL of rtnetlink(7).
    static let kernel: UInt8 = 2

    /// The interface's addresses of global scope, each with the address that is to replace it.
    private func replacements() throws(ConditioningError) -> [(old: HostAddress, new: IPAddress)] {
        let own = try ownAddresses() + removed.addresses
        var others = taken + own.map(\.address)
        for family in IPAddress.Family.allCases {
            others += try routes(family).flatMap(\.nextHops).compactMap(\.gateway)
        }
        return try own.map { old throws(ConditioningError) in
            guard let new = old.address.next(prefixLength: old.prefixLength, avoiding: others) else {
                throw ConditioningError(
                    .unsupported,
                    "the uplink's network \(old.address)/\(old.prefixLength) has no other address for this host"
                )
            }
            others.append(new)
            return (old, new)
        }
    }

    func ownAddresses() throws(ConditioningError) -> [HostAddress] {
        try answer(connection.addresses()).filter { $0.index == index && $0.scope == .global }
            .map { HostAddress(address: $0.address, prefixLength: $0.prefixLength) }
    }

    func routes(_ family: IPAddress.Family) throws(ConditioningError) -> [Route] {
        try answer(connection.routes(family)).filter { route in
            route.kind == .unicast && !route.isCached && route.nextHops.contains { $0.index == index }
        }
    }

    private func set(_ setting: ProcFile, to value: String) throws(ConditioningError) {
        do {
            try setting.write(value)
        } catch {
            throw ConditioningError(.refused, error)
        }
    }

    /// Gives the interface an address, and returns when the host accepts packets for it.
    ///
    /// For IPv6, the kernel adds the local route later, in a work queue of all network namespaces (net/ipv6/addrconf.c,
    /// addrconf_dad_work): a quarter of a second later if other namespaces come and go. Until then, the answer to a
    /// connection's first packet would be lost.
    func add(_ address: IPAddress, prefixLength: UInt8) throws(ConditioningError) {
        try perform(AddressRequest.add(address, prefixLength: prefixLength, to: index))
        guard address.family == .ipv6 else { return }
        try wait { () throws(ConditioningError) in
            try answer(connection.routes(.ipv6)).contains { $0.kind == .local && $0.destination == address }
        }
    }

    func perform(_ request: Request) throws(ConditioningError) { try answer(connection.perform(request)) }
}

/// Returns the kernel's answer, or throws its error as a `ConditioningError`.
private func answer<Answer>(
    _ body: @autoclosure () throws(NetlinkError) -> Answer
) throws(ConditioningError) -> Answer {
    do {
        return try body()
    } catch {
        throw ConditioningError(error)
    }
}
