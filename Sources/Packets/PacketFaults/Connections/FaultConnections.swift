// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// The connections that faults are about. Of too many, those that were silent longest are forgotten.
struct FaultConnections {
    /// RFC 5382, REQ-5: a TCP connection may be silent for two hours and four minutes. RFC 4787, REQ-5, of others.
    private static let silence: (tcp: Int64, other: Int64) = (7_440_000_000_000, 300_000_000_000)

    let limit: Int
    private var connections: [FaultConnection.Ends: FaultConnection] = [:]
    private var uses: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { connections.count }

    /// Hands out the connection of a packet, which is made if there is none, and keeps what becomes of it.
    ///
    /// - Parameter candidates: the faults that are about a new connection, besides those that are known to be.
    mutating func with<Result>(
        _ packet: FaultedPacket,
        at now: Int64,
        candidates: ([FaultConnection.Candidate]) -> [FaultConnection.Candidate],
        _ body: (inout FaultConnection) -> Result
    ) -> Result {
        let ends = FaultConnection.Ends(of: packet)
        uses += 1
        var connection: FaultConnection
        if let known = connections[ends], !isAnother(known, packet, now) {
            connection = known
            connection.silence = now - known.seen
            if known.isUnseen {
                connection.candidates = candidates(known.candidates)
                connection.isUnseen = false
            }
        } else {
            if connections[ends] == nil { makeRoom() }
            connection = FaultConnection(candidates([]), packet, at: now)
        }
        // One reference, so that nothing is copied.
        connections[ends] = nil
        (connection.seen, connection.used) = (now, uses)
        let result = body(&connection)
        precondition(connections[ends] == nil, "a connection is decided about twice at once")
        connections[ends] = connection
        precondition(connections.count <= max(limit, 1), "more connections are remembered than may be")
        return result
    }

    /// The connection between two ends, if it is remembered.
    subscript(ends: FaultConnection.Ends) -> FaultConnection? {
        get { connections[ends] }
        set {
            if connections[ends] == nil { makeRoom() }
            uses += 1
            connections[ends] = newValue
            connections[ends]?.used = uses
        }
    }

    /// Whether a packet belongs to a connection that no fault can be about any longer, which it is then a use of.
    mutating func leaveAlone(_ packet: FaultedPacket, at now: Int64) -> Bool {
        guard let index = connections.index(forKey: FaultConnection.Ends(of: packet)) else { return false }
        let known = connections.values[index]
        guard known.isSettled, !isAnother(known, packet, now) else { return false }
        uses += 1
        (connections.values[index].seen, connections.values[index].used) = (now, uses)
        return true
    }

    /// Whether a packet is of another connection between the same ends.
    private func isAnother(_ known: FaultConnection, _ packet: FaultedPacket, _ now: Int64) -> Bool {
        if now - known.seen > (packet.transport == .tcp ? Self.silence.tcp : Self.silence.other) { return true }
        return packet.isOpening && known.initial != packet.tcp?.sequence
    }

    /// Forgets a quarter of them if there are too many, so that it is seldom necessary.
    private mutating func makeRoom() {
        guard connections.count >= limit else { return }
        let oldest = connections.sorted { $0.value.used < $1.value.used }.prefix(max(limit / 4, 1)).map(\.key)
        for ends in oldest { connections[ends] = nil }
    }
}
