// SPDX-License-Identifier: Apache-2.0

internal import HeapModule
internal import LinkProfiles

/// Acts on connections without a packet: when the faults come into effect, and when a connection was idle for long
/// enough.
extension PacketFaults {
    /// Whether ``start(with:after:at:)`` needs the connections that are open when the faults come into effect.
    package var concernsOpenConnections: Bool { faults.contains { $0.endsOpenConnections || $0.idleTime != nil } }

    /// The time of the next planned check for idle connections, in nanoseconds; `.max` if none is planned.
    package var nextIdle: Int64 { turns.min?.due ?? .max }

    /// Applies the faults to the connections that are open when the faults come into effect: ends them, or plans checks
    /// for idle ones. Idle times count from `now`.
    ///
    /// - Parameters:
    ///   - open: the connections, in the order in which they were opened.
    ///   - earlier: the faults in effect until now. A fault among them does not end open connections once more.
    /// - Returns: the packets to send; `isForSender` means the near end, as if they answered a packet of the uplink.
    package mutating func start(
        with open: [OpenConnection],
        after earlier: PacketFaults?,
        at now: Int64
    ) -> [MadePacket] {
        let known = earlier?.faults ?? []
        let atOnce = faults.indices.filter { faults[$0].endsOpenConnections && !known.contains(faults[$0]) }
        return open.flatMap { connection -> [MadePacket] in
            let ends = FaultConnection.Ends(of: connection)
            let first = atOnce.first { faults[$0].concerns(ends) }
            let candidates = Self.candidates(faults, of: ends, &connectionCounts) {
                faults[$0].idleTime != nil || $0 == first
            }
            guard !candidates.isEmpty else { return [] }
            connections[ends] = FaultConnection(candidates, connection, at: now)
            add(IdleTurn.turns(for: candidates, faults, ends, opened: now))
            return first.map { end(connection, by: $0) } ?? []
        }
    }

    /// The number of planned checks.
    var idleTurnCount: Int { turns.count }

    /// Adds planned checks. If there are too many, removes the checks of forgotten connections.
    mutating func add(_ new: [IdleTurn]) {
        guard !new.isEmpty else { return }
        turns.insert(contentsOf: new)
        let maximum = 2 * connections.limit * faults.count { $0.endsIdleConnections }
        guard idleTurnCount > maximum else { return }
        turns = Heap(turns.unordered.filter { connections[$0.ends]?.opened == $0.opened })
    }

    /// Removes the checks that are due, and returns the connections that a fault ends because they were idle for long
    /// enough. Checks of connections that were not, or that chance has spared, are planned anew.
    package mutating func popIdle(at now: Int64) -> [IdleConnection] {
        var ended: [IdleConnection] = []
        while var turn = turns.min, turn.due <= now {
            turns.removeMin()
            guard var connection = connections[turn.ends], connection.opened == turn.opened, connection.takeover == nil,
                let index = connection.candidates.firstIndex(where: { $0.fault == turn.fault }),
                let time = faults[turn.fault].idleTime
            else { continue }
            turn.due = connection.seen + time
            if turn.due <= now, turn.decided == connection.seen { turn.due = now + time }
            guard turn.due <= now else {
                turns.insert(turn)
                continue
            }
            connection.candidates[index].matched += 1
            connections[turn.ends] = connection
            let (candidate, match) = (connection.candidates[index], faults[turn.fault].match)
            guard match.connection?.contains(candidate.connectionNumber) ?? true else { continue }
            if match.happens(seed, turn.fault, connection: candidate.connectionNumber, packet: candidate.matched) {
                ended.append(IdleConnection(near: turn.ends.near, far: turn.ends.far, fault: turn.fault))
            } else {
                turn.decided = connection.seen
                turn.due = now + time
                turns.insert(turn)
            }
        }
        return ended
    }

    /// Ends an idle connection.
    ///
    /// - Returns: the packets to send; `isForSender` means the near end, as if they answered a packet of the uplink.
    package mutating func end(_ connection: OpenConnection, as idle: IdleConnection) -> [MadePacket] {
        // Another fault may have ended the connection at the same time.
        guard let known = connections[FaultConnection.Ends(of: connection)], known.takeover == nil else { return [] }
        return end(connection, by: idle.fault)
    }

    private mutating func end(_ connection: OpenConnection, by fault: Int) -> [MadePacket] {
        let action = faults[fault].action
        let mark = FaultMark(UInt8(fault + 1), action.effect)
        var takeover = Takeover(
            action == .reset ? .ended : .closing(isHalf: action == .halfClose),
            mark,
            connection
        )
        let made = takeover.end(connection)
        connections[FaultConnection.Ends(of: connection)]?.takeover = takeover
        return made
    }
}
