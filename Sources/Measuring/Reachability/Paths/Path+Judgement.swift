// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Netlink

extension Path {
    /// Judges a route lookup together with the state of the links.
    ///
    /// A link without carrier overrides the route, which the kernel keeps (flagged `linkdown`). If `interface` is
    /// given, the state of that link also overrides the lack of a route, which only follows from it.
    ///
    /// - Parameters:
    ///   - address: the target.
    ///   - lookup: the kernel's answer (`RouteConnection.lookUpRoute`).
    ///   - interface: the interface over which packets must leave; nil for any.
    ///   - state: the links.
    public init(
        to address: IPAddress,
        _ lookup: Result<RouteLookup, NetlinkError>,
        interface: String? = nil,
        in state: LocalState
    ) {
        let named = interface.map { state.device(named: $0) }
        switch lookup {
        case .success(let route):
            self = Path(to: address, route, state.device(route.index))
            if route.kind == .local { return }
            if case .some(nil) = named { status = .unsatisfied(.interfaceMissing) }
        case .failure(let error):
            self = Path(Status(error))
            guard let named else { return }
            self.interface = interface
            guard let link = named else {
                (status, operationalState) = (.unsatisfied(.interfaceMissing), .missing)
                return
            }
            describe(link)
            if let obstacle = Status(obstacleOf: link) ?? Status(missingAddressOf: link, for: address) {
                if error.code == ENETUNREACH || error.code == ENODEV { status = obstacle }
            }
        }
    }

    private init(to address: IPAddress, _ route: RouteLookup, _ link: LinkState?) {
        self.init(.satisfied)
        source = route.source
        gateway = route.gateway
        isOwnAddress = route.kind == .local
        isOnLink = route.gateway == nil && !isOwnAddress
        mtu = route.mtu
        guard let link else { return }
        describe(link)
        mtu = route.mtu ?? link.status.link.mtu
        // An address of this host answers whatever the state of the link to which it belongs.
        if isOwnAddress { return }
        if let obstacle = Status(obstacleOf: link) {
            status = obstacle
        } else if source == nil {
            status = .unsatisfied(.noAddress)
        } else if let source, source.isLinkLocal, source.family == address.family, gateway != nil,
            !address.isLinkLocal
        {
            // No router forwards packets with a link-local source address (RFC 3927, RFC 4291).
            status = .unsatisfied(.linkLocalOnly)
        }
    }

    /// If no route leads to `address`, replaces that by its cause: the link over which packets left before has failed,
    /// or no link of this host works.
    ///
    /// - Parameter interface: the interface over which packets last left; nil if unknown.
    /// - Parameter interface: What packets left by last; nil for nothing known.
    func explained(last interface: String?, to address: IPAddress, in state: LocalState) -> Path {
        guard obstacle == .noRoute else { return self }
        var path = self
        let last = interface.map { state.device(named: $0) }
        if case .some(nil) = last {
            (path.status, path.operationalState) = (.unsatisfied(.interfaceMissing), .missing)
            path.interface = interface
            return path
        }
        let others = state.links.lazy.filter { $0.linkClass != .loopback }
        guard let link = last ?? others.max(by: { $0.operationalState < $1.operationalState }) else { return self }
        // The lack of an address explains a failure only on the link over which packets left before.
        let lack = last == nil ? nil : Status(missingAddressOf: link, for: address)
        guard let status = Status(obstacleOf: link) ?? lack else { return self }
        path.status = status
        path.describe(link)
        return path
    }

    private mutating func describe(_ link: LinkState) {
        interface = link.status.link.name
        linkClass = link.linkClass
        operationalState = link.operationalState
        families = Set(IPAddress.Family.allCases.filter { link.supports($0) || link.linkClass == .loopback })
    }
}

extension Path.Initiative {
    /// The event that brings up a dormant link: a modem waits for a command to dial, a tunnel for packets, and a
    /// network card for 802.1X.
    fileprivate init(for linkClass: LinkClass) {
        switch linkClass {
        case .wwan: self = .onDemand
        case .tunnel: self = .onTraffic
        case .loopback, .ethernet, .wifi, .bridge, .virtual, .other: self = .intervention
        }
    }
}

extension Path.Status {
    init(_ error: NetlinkError) {
        let reason = KernelAnswer.routeLookup(error.code, hasText: error.kernelText != nil)
        self = reason.map { .unsatisfied($0) } ?? .unknown(error.code)
    }

    /// The obstacle that keeps a link from carrying packets; nil if there is none.
    fileprivate init?(obstacleOf link: LinkState) {
        switch link.operationalState {
        case .missing: self = .unsatisfied(.interfaceMissing)
        case .off: self = .unsatisfied(.adminDown)
        case .noCarrier: self = .unsatisfied(.noCarrier)
        case .dormant: self = .requiresConnection(Path.Initiative(for: link.linkClass))
        case .degradedCarrier, .carrier, .degraded, .enslaved, .routable: return nil
        }
    }

    /// The kind of address that a working link lacks, so that no route leads over it; nil if it lacks none.
    fileprivate init?(missingAddressOf link: LinkState, for address: IPAddress) {
        let usable = link.addresses.filter { $0.isUsable && $0.address.family == address.family }
        if usable.isEmpty {
            self = .unsatisfied(.noAddress)
        } else if usable.allSatisfy({ $0.scope == .link }), !address.isLinkLocal {
            self = .unsatisfied(.linkLocalOnly)
        } else {
            return nil
        }
    }
}
