// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The mappings of a network address translator that translates ports but not addresses (RFC 4787). Pure: the caller
/// passes the time, in nanoseconds.
///
/// A mapping keeps the port of its source if no other mapping has or had that port, so that flows older than the
/// translator go on. Expired mappings are remembered: their packets are distinguished from packets for a port that was
/// never mapped.
struct PortMappings {
    /// The largest number of mappings, including expired ones.
    static let limit = 100_000
    /// The ports for sources that cannot keep their own port: below the dynamic range of RFC 6335.
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

    /// An address and port of the host as remote hosts see them.
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
    /// The nanoseconds without use after which a mapping expires.
    private var idle: Int64
    /// The mappings of TCP, UDP and ICMP. Each has room for a third of `limit`, fewer than there are ports in `pool`.
    private var mappings = [RecentTable<Port, Mapping>](repeating: RecentTable(limit: limit / 3), count: 3)
    /// The port of each source that has a mapping.
    private var ports: [Source: Port] = [:]
    /// The remote ends from which each port accepts packets; not used if ports accept packets from any.
    private var permissions = RecentTable<Permission, Void>(limit: limit)
    private var nextPort = pool.lowerBound
    /// The time until which an incoming packet without a mapping gets one: its flow may be older than the translator.
    private var adoptsUntil: Int64
    /// Whether a source keeps its port if no mapping has it.
    private var keepsPorts = true

    /// - Parameter now: the time from which it translates.
    init(_ rules: AddressTranslation, now: Int64) {
        // Otherwise, `add` could search for a free port for ever.
        precondition(Self.limit / 3 < Self.pool.count, "there may be more mappings than ports")
        self.rules = rules
        idle = rules.idle?.nanoseconds ?? .max
        adoptsUntil = idle == .max ? .max : now + idle
    }

    /// The number of mappings, including expired ones.
    var count: Int { mappings.reduce(0) { $0 + $1.count } }

    /// Applies `rules` from now on; the mappings stay.
    mutating func use(_ rules: AddressTranslation) {
        self.rules = rules
        idle = rules.idle?.nanoseconds ?? .max
    }

    /// Gives every source another port from now on.
    mutating func rebind() {
        ports.removeAll(keepingCapacity: true)
        (adoptsUntil, keepsPorts) = (.min, false)
    }

    /// Returns the port that remote hosts see for a packet from the host; makes its mapping, or renews it.
    mutating func port(of flow: Flow, now: Int64) -> UInt16 {
        let source = source(of: flow)
        if let port = ports[source], let mapping = mapping(of: port), !isExpired(mapping, now) {
            _ = mappings[Self.table(port)].use(port, Mapping(source: source, used: now))
            permit(flow.remote, port)
            return port.end.port
        }
        return add(source, flow, now).end.port
    }

    /// The port that remote hosts see for a flow; nil if the flow has no live mapping.
    func existingPort(of flow: Flow, now: Int64) -> UInt16? {
        guard let port = ports[source(of: flow)], let mapping = mapping(of: port) else { return nil }
        return isExpired(mapping, now) ? nil : port.end.port
    }

    /// The fate of a packet from outside.
    struct Arrival: Equatable {
        /// The host's own port, which has or had the mapping.
        var port: UInt16
        /// Whether the packet passes.
        var passes: Bool
    }

    /// Finds the mapping for a packet from outside, and renews it; makes one for a flow that may be older than the
    /// translator. `flow.host.port` is the port that remote hosts see.
    ///
    /// - Parameter isAnswer: whether the packet renews the mapping; an ICMP error about a packet does not.
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
