// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import HeapModule
internal import LinkEmulation
package import LinkProfiles

/// Decides what the faults of a profile do to packets: one goes on or is lost, and others are made.
///
/// It has no clock and does no I/O. For each packet, the first fault that matches decides. Connections are counted from the
/// time on from which the faults hold.
package struct PacketFaults: Sendable {
    /// The connections that are remembered.
    package static let maximumConnections = 8_192
    /// The packets that are made of one, at most.
    package static let maximumMade = 2

    let faults: [Fault]
    let seed: UInt64
    var connections: FaultConnections
    /// The number of connections that each fault has been about.
    package internal(set) var connectionCounts: [Int]
    /// The times at which connections may have been idle for long enough.
    var turns = Heap<IdleTurn>()

    /// Makes a decision for faults; nil if there are none.
    package init?(_ faults: [Fault], seed: UInt64, connections: Int = maximumConnections) {
        guard !faults.isEmpty else { return nil }
        (self.faults, self.seed) = (faults, seed)
        self.connections = FaultConnections(limit: connections)
        connectionCounts = [Int](repeating: 0, count: faults.count)
    }

    /// The connections that are remembered now.
    package var connectionCount: Int { connections.count }

    /// Whether a packet passes without a decision, with all others of its super-packet: it belongs to a connection that
    /// is known, and no fault can be about what follows in that.
    ///
    /// - Parameters:
    ///   - head: its bytes from the IP header on, as far as the transport's header at least.
    ///   - now: nanoseconds of a monotonic clock.
    package mutating func leaveAlone(_ head: [UInt8], _ direction: Direction, at now: Int64) -> Bool {
        guard let packet = FaultedPacket(head, direction), packet.tcp != nil || packet.transport == .udp,
            packet.ports != nil, !packet.isOpening
        else { return false }
        return connections.leaveAlone(packet, at: now)
    }

    /// Decides about a wire packet.
    ///
    /// - Parameters:
    ///   - bytes: from its IP header on.
    ///   - now: nanoseconds of a monotonic clock.
    package mutating func decide(_ bytes: [UInt8], _ direction: Direction, at now: Int64) -> FaultDecision {
        guard let packet = FaultedPacket(bytes, direction) else { return .pass }
        var (connectionCounts, turns) = ([Int](), [IdleTurn]())
        swap(&connectionCounts, &self.connectionCounts)
        precondition(connectionCounts.count == faults.count, "a decision within another one")
        defer {
            swap(&connectionCounts, &self.connectionCounts)
            add(turns)
        }
        let (faults, seed) = (faults, seed)
        let ends = FaultConnection.Ends(of: packet)
        return connections.with(packet, at: now) { known in
            let new = Self.candidates(faults, of: ends, &connectionCounts) { index in
                !known.contains { $0.fault == index }
            }
            turns = IdleTurn.turns(for: new, faults, ends, opened: now)
            return (known + new).sorted { $0.fault < $1.fault }
        } _: { connection in
            if connection.takeover != nil {
                let made = connection.takeover?.answer(packet) ?? []
                return FaultDecision(loss: connection.takeover?.mark, made: made)
            }
            guard !connection.candidates.isEmpty else { return .pass }
            if connection.hello != nil {
                let isNeeded = connection.candidates.contains { faults[$0.fault].match.packet?.isHello ?? false }
                if isNeeded { connection.noteHello(packet) } else { connection.hello = nil }
            }
            let context = FaultContext(packet, connection.completedHello(), at: now)
            defer {
                connection.payload += UInt64(packet.payload.count)
                let rest = connection.candidates.filter {
                    faults[$0.fault].match.canHold(later: $0, connection, packet)
                }
                if rest.count < connection.candidates.count { connection.candidates = rest }
            }
            for index in connection.candidates.indices {
                let candidate = connection.candidates[index]
                let fault = faults[candidate.fault]
                guard !fault.endsIdleConnections else { continue }
                guard fault.match.holds(context, connection, candidate) else { continue }
                guard FaultActor.canAct(fault.action, on: context) else { continue }
                connection.candidates[index].matched += 1
                let number = connection.candidates[index].matched
                guard fault.match.holds(number: number),
                    fault.match.happens(seed, candidate.fault, connection: candidate.connectionNumber, packet: number)
                else { continue }
                let mark = FaultMark(UInt8(candidate.fault + 1), fault.action.effect)
                return FaultActor(fault, mark, seed: seed).act(on: context, &connection)
            }
            return .pass
        }
    }

    /// The faults that are about a new connection, which takes a place in the order of each one's connections.
    static func candidates(
        _ faults: [Fault],
        of ends: FaultConnection.Ends,
        _ connectionCounts: inout [Int],
        where isIncluded: (Int) -> Bool
    ) -> [FaultConnection.Candidate] {
        faults.indices.filter { faults[$0].concerns(ends) && isIncluded($0) }.map { index in
            connectionCounts[index] += 1
            let fault = faults[index]
            return FaultConnection.Candidate(
                fault: index,
                connectionNumber: connectionCounts[index],
                isForLaterPackets: fault.match.packet != .syn && !fault.endsIdleConnections
            )
        }
    }
}
