// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// The connections that faults concern. Above `limit`, the connections that were idle longest are forgotten.
struct FaultConnections {
    /// The idle time in nanoseconds after which a packet starts a new connection: two hours and four minutes for TCP
    /// (RFC 5382, REQ-5), five minutes for other protocols (RFC 4787, REQ-5).
    private static let silence: (tcp: Int64, other: Int64) = (7_440_000_000_000, 300_000_000_000)

    let limit: Int
    private var connections: [FaultConnection.Ends: FaultConnection] = [:]
    private var uses: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { connections.count }

    /// Calls `body` with the connection of a packet, and stores the connection that `body` has changed. Makes the
    /// connection if it is not known.
    ///
    /// - Parameter candidates: adds the faults that concern a new connection to the candidates that it already has.
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
        // Removes the dictionary's reference, so that `body` changes the connection without a copy.
        connections[ends] = nil
        (connection.seen, connection.used) = (now, uses)
        let result = body(&connection)
        precondition(connections[ends] == nil, "a connection is decided about twice at once")
        connections[ends] = connection
        precondition(connections.count <= max(limit, 1), "more connections are remembered than may be")
        return result
    }

    /// The connection between two ends; nil if none is stored. Setting counts as a use of the connection.
    subscript(ends: FaultConnection.Ends) -> FaultConnection? {
        get { connections[ends] }
        set {
            if connections[ends] == nil { makeRoom() }
            uses += 1
            connections[ends] = newValue
            connections[ends]?.used = uses
        }
    }

    /// Returns whether a packet belongs to a settled connection, which no fault can match any longer; if so, updates
    /// the connection's time and ordinal of use.
    mutating func recordSettled(_ packet: FaultedPacket, at now: Int64) -> Bool {
        guard let index = connections.index(forKey: FaultConnection.Ends(of: packet)) else { return false }
        let known = connections.values[index]
        guard known.isSettled, !isAnother(known, packet, now) else { return false }
        uses += 1
        (connections.values[index].seen, connections.values[index].used) = (now, uses)
        return true
    }

    /// Whether a packet starts a new connection between the same ends: after a long idle time, or with a different SYN.
    private func isAnother(_ known: FaultConnection, _ packet: FaultedPacket, _ now: Int64) -> Bool {
        if now - known.seen > (packet.transport == .tcp ? Self.silence.tcp : Self.silence.other) { return true }
        return packet.isOpening && known.initial != packet.tcp?.sequence
    }

    /// At the limit, forgets the quarter of the connections that was used least recently: a quarter, so that this is
    /// rare.
    private mutating func makeRoom() {
        guard connections.count >= limit else { return }
        let oldest = connections.sorted { $0.value.used < $1.value.used }.prefix(max(limit / 4, 1)).map(\.key)
        for ends in oldest { connections[ends] = nil }
    }
}
