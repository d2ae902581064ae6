// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic

/// The client's part of a run's traffic, without the packets of a monitor beside it, and without connections from
/// outside. Each connection has the names of the processes that held its socket.
package struct JudgedTraffic: Hashable, Sendable {
    /// The client's connections and queries, and how the link carried all packets.
    package internal(set) var traffic: ObservedTraffic
    /// Whether processes other than the part's had connections during the part.
    private(set) var hasOthers = false

    /// Removes from `traffic` the monitor's probes, connections opened from outside, and connections of processes that
    /// the part is not about.
    package init(_ traffic: ObservedTraffic, of record: RunRecord) {
        self.traffic = traffic
        self.traffic.connections.removeAll(where: \.isFromOutside)
        record.removeProbes(from: &self.traffic)
        record.nameOwners(in: &self.traffic)
        guard record.scope.process != nil else { return }
        let end = record.scope.until ?? record.end
        self.traffic.connections.removeAll { connection in
            guard connection.relation == .other else { return false }
            let wasOpen = connection.firstPacket.map { $0.sent < end } ?? false
            hasOthers = hasOthers || wasOpen && connection.lastMoment >= record.begin
            return true
        }
    }
}

extension RunRecord {
    /// The longest time between the connect(2) of a probe and the probe's first packet.
    private static let probeDelay = Duration.seconds(2)
    /// The longest time between the connect(2) of a DNS probe and the last packet of the answer.
    private static let longestAnswer = Duration.seconds(30)

    fileprivate func removeProbes(from traffic: inout ObservedTraffic) {
        guard !probes.isEmpty else { return }
        // A client may reuse the port of an earlier probe: of the connections with the same endpoints, the probe's is
        // the one that started nearest to the probe's time.
        let indices = traffic.connectionIndices
        var removed: Set<Int> = []
        for probe in probes {
            let distances = (indices[probe.socket] ?? []).compactMap { index -> (index: Int, distance: Duration)? in
                guard !removed.contains(index), let first = traffic.connections[index].firstPacket else { return nil }
                return (index, first.sent.distance(to: probe.time))
            }
            guard let nearest = distances.min(by: { $0.distance < $1.distance }), nearest.distance <= Self.probeDelay
            else { continue }
            removed.insert(nearest.index)
        }
        traffic.connections = traffic.connections.enumerated().filter { !removed.contains($0.offset) }.map(\.element)
        let bySocket = Dictionary(grouping: probes, by: \.socket)
        traffic.nameQueries.removeAll { query in
            guard let client = query.client, let server = query.server else { return false }
            let same = [true, false].flatMap { bySocket[SocketEnds(client, server, isTCP: $0)] ?? [] }
            return same.contains { query.packet.sent.distance(to: $0.time) <= Self.probeDelay }
        }
        traffic.nameMessages.removeAll { message in
            let same = bySocket[SocketEnds(message.client, message.server, isTCP: false)] ?? []
            return same.contains { message.sent.distance(to: $0.time) <= Self.longestAnswer }
        }
    }

    fileprivate func nameOwners(in traffic: inout ObservedTraffic) {
        for index in traffic.connections.indices { traffic.connections[index].relation = scope.relation(to: nil) }
        guard !owners.isEmpty || !openAtEnd.isEmpty else { return }
        let indices = traffic.connectionIndices
        for owner in owners {
            // A port may be reused: the socket is the newest connection that had started at the owner's time.
            let index = indices[owner.socket]?.last { index in
                traffic.connections[index].firstPacket.map { $0.sent <= owner.time } ?? false
            }
            guard let index else { continue }
            // A socket that is passed to another process keeps the relation of its first owner.
            if traffic.connections[index].owners.isEmpty {
                traffic.connections[index].relation = scope.relation(to: owner.holder)
            }
            guard !traffic.connections[index].owners.contains(owner.name) else { continue }
            traffic.connections[index].owners.append(owner.name)
        }
        // The scan at the end may find owners that the scans before missed.
        for open in openAtEnd {
            guard let holder = open.holder, let index = indices[open.socket]?.last,
                traffic.connections[index].owners.isEmpty
            else { continue }
            traffic.connections[index].relation = scope.relation(to: holder)
            traffic.connections[index].owners = [open.owner].compactMap { $0 }
        }
    }
}

extension Connection {
    /// The time of the last packet that shows that the client used the connection.
    fileprivate var lastMoment: Instant {
        max(
            firstPacket?.sent ?? .distantPast,
            clientPackets.last?.sent ?? .distantPast,
            answers.last?.sent ?? .distantPast
        )
    }
}

extension ObservedTraffic {
    /// The indices of the connections with the same endpoints, in order.
    fileprivate var connectionIndices: [SocketEnds: [Int]] {
        Dictionary(grouping: connections.indices) { SocketEnds(of: connections[$0]) }
    }
}

extension Instant {
    /// The absolute time between two instants.
    fileprivate func distance(to other: Instant) -> Duration { self < other ? other - self : self - other }
}
