// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The mappings of a network address translator that translates ports and leaves addresses alone (RFC 4787). Pure: it is told
/// the time, in nanoseconds.
///
/// A mapping keeps the port of its source if no mapping has it, now or before: what a host has sent before there was a
/// translator goes on. A mapping that has expired is remembered, so that what comes for it is told from what never was.
struct PortMappings {
    /// The largest number of mappings, those that have expired among them.
    static let limit = 100_000
    /// The ports for sources that cannot keep theirs: not those that hosts use for clients.
    static let pool: ClosedRange<UInt16> = 1024...49_151

    /// One end of a flow.
    struct End: Hashable {
        var address: UInt32
        var port: UInt16
    }

    /// A packet's flow; the port of an ICMP query is its identifier, at both ends.
    struct Flow: Hashable {
        /// The IP protocol.
        var transport: UInt8
        var host: End
        var remote: End
    }

    /// A port that is visible outside.
    private struct Port: Hashable {
        let transport: UInt8
        let end: End
    }

    /// The key of one mapping: a source, and the part of the destination that the mapping depends on.
    private struct Source: Hashable {
        let transport: UInt8
        let host: End
        let remote: End
    }

    private struct Mapping {
        var source: Source
        var used: Int64
    }

    private struct Permission: Hashable {
        let port: Port
        let remote: End
    }

    private var rules: AddressTranslation
    /// The nanoseconds after which a mapping expires.
    private var idle: Int64
    /// The mappings of TCP, of UDP, and of ICMP, which have a third each: fewer than there are ports.
    private var mappings = [RecentTable<Port, Mapping>](repeating: RecentTable(limit: limit / 3), count: 3)
    /// The port of each source that has a mapping.
    private var ports: [Source: Port] = [:]
    /// The ends that packets may come from; empty for all.
    private var permissions = RecentTable<Permission, Void>(limit: limit)
    private var nextPort = pool.lowerBound
    /// Until when packets of flows that began before the translator are its mappings' first.
    private var adoptsUntil: Int64
    /// Whether a source keeps its port if no mapping has it.
    private var keepsPorts = true

    /// - Parameter now: from when on it translates.
    init(_ rules: AddressTranslation, now: Int64) {
        // Else no port is found, without an end.
        precondition(Self.limit / 3 < Self.pool.count, "there may be more mappings than ports")
        self.rules = rules
        idle = rules.idle?.nanoseconds ?? .max
        adoptsUntil = idle == .max ? .max : now + idle
    }

    /// The number of mappings, those that have expired among them.
    var count: Int { mappings.reduce(0) { $0 + $1.count } }

    /// Uses other rules from now on.
    mutating func use(_ rules: AddressTranslation) {
        self.rules = rules
        idle = rules.idle?.nanoseconds ?? .max
    }

    /// Gives every source another port from now on.
    mutating func rebind() {
        ports.removeAll(keepingCapacity: true)
        (adoptsUntil, keepsPorts) = (.min, false)
    }

    /// The port from which a packet of the host's leaves.
    mutating func port(of flow: Flow, now: Int64) -> UInt16 {
        let source = source(of: flow)
        if let port = ports[source], let mapping = mapping(of: port), !isExpired(mapping, now) {
            _ = mappings[Self.table(port)].use(port, Mapping(source: source, used: now))
            permit(flow.remote, port)
            return port.end.port
        }
        return add(source, flow, now).end.port
    }

    /// The port from which the packets of a flow leave; nil if it has no mapping.
    func existingPort(of flow: Flow, now: Int64) -> UInt16? {
        guard let port = ports[source(of: flow)], let mapping = mapping(of: port) else { return nil }
        return isExpired(mapping, now) ? nil : port.end.port
    }

    /// The known facts about a packet from outside.
    struct Arrival: Equatable {
        /// The port of the host that has, or had, the mapping.
        var port: UInt16
        /// Whether the packet passes.
        var passes: Bool
    }

    /// Finds the mapping that a packet from outside is for. The host's port of `flow` is the one that is visible outside.
    ///
    /// - Parameter isAnswer: whether it may use the mapping; an error about a packet does not.
    mutating func arrival(_ flow: Flow, now: Int64, isAnswer: Bool = true) -> Arrival {
        let port = Port(transport: flow.transport, end: flow.host)
        guard let mapping = mapping(of: port) else {
            guard now < adoptsUntil, ports[source(of: flow)] == nil else {
                return Arrival(port: flow.host.port, passes: false)
            }
            return Arrival(port: add(source(of: flow), flow, now).end.port, passes: true)
        }
        let isLive = ports[mapping.source] == port && !isExpired(mapping, now)
        guard isLive, isPermitted(flow.remote, port) else {
            return Arrival(port: mapping.source.host.port, passes: false)
        }
        if isAnswer { _ = mappings[Self.table(port)].use(port, Mapping(source: mapping.source, used: now)) }
        return Arrival(port: mapping.source.host.port, passes: true)
    }

    private static func table(_ port: Port) -> Int { port.transport == 6 ? 0 : port.transport == 17 ? 1 : 2 }

    private func mapping(of port: Port) -> Mapping? { mappings[Self.table(port)][port] }

    private func isExpired(_ mapping: Mapping, _ now: Int64) -> Bool {
        now - mapping.used >= idle
    }

    private func source(of flow: Flow) -> Source {
        Source(transport: flow.transport, host: flow.host, remote: Self.part(of: flow.remote, rules.mapping))
    }

    private static func part(of remote: End, _ dependence: AddressTranslation.Dependence) -> End {
        switch dependence {
        case .endpoint: End(address: 0, port: 0)
        case .address: End(address: remote.address, port: 0)
        case .addressAndPort: remote
        }
    }

    private mutating func permit(_ remote: End, _ port: Port) {
        guard rules.filtering != .endpoint else { return }
        permissions.use(Permission(port: port, remote: Self.part(of: remote, rules.filtering)), ())
    }

    private func isPermitted(_ remote: End, _ port: Port) -> Bool {
        guard rules.filtering != .endpoint else { return true }
        return permissions[Permission(port: port, remote: Self.part(of: remote, rules.filtering))] != nil
    }

    private mutating func add(_ source: Source, _ flow: Flow, _ now: Int64) -> Port {
        var port = Port(transport: flow.transport, end: flow.host)
        while mapping(of: port) != nil || !keepsPorts && port.end == flow.host {
            port = Port(transport: flow.transport, end: End(address: flow.host.address, port: nextPort))
            nextPort = nextPort == Self.pool.upperBound ? Self.pool.lowerBound : nextPort + 1
        }
        if let forgotten = mappings[Self.table(port)].use(port, Mapping(source: source, used: now)),
            ports[forgotten.value.source] == forgotten.key
        {
            ports[forgotten.value.source] = nil
        }
        ports[source] = port
        permit(flow.remote, port)
        return port
    }
}
