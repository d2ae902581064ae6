// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import HeapModule
internal import LinkEmulation
package import LinkProfiles

/// Applies the faults of a profile to packets: decides whether a packet passes or is lost, and makes packets in answer.
///
/// The type has no clock and does no I/O. For each packet, the first matching fault decides. Each fault numbers its
/// connections from the time at which the faults come into effect.
package struct PacketFaults: Sendable {
    /// The default maximum number of connections that are stored.
    package static let maximumConnections = 8_192
    /// The maximum number of packets that faults make for one packet.
    package static let maximumMade = 2

    let faults: [Fault]
    let seed: UInt64
    var connections: FaultConnections
    /// The number of connections that each fault has concerned so far, by the index of the fault.
    package internal(set) var connectionCounts: [Int]
    /// The planned checks of whether connections are idle for long enough.
    var turns = Heap<IdleTurn>()

    /// Makes the state for `faults`; nil if there are none.
    package init?(_ faults: [Fault], seed: UInt64, connections: Int = maximumConnections) {
        guard !faults.isEmpty else { return nil }
        (self.faults, self.seed) = (faults, seed)
        self.connections = FaultConnections(limit: connections)
        connectionCounts = [Int](repeating: 0, count: faults.count)
    }

    /// The number of connections that are stored now.
    package var connectionCount: Int { connections.count }

    /// Returns whether a packet passes without a decision, with its whole super-packet: it belongs to a known
    /// connection, and no fault can match any later packet of that connection. If so, records the packet as a use of
    /// the connection.
    ///
    /// - Parameters:
    ///   - head: the packet's bytes from the IP header to the end of the transport header, or further.
    ///   - now: the current time: nanoseconds of a monotonic clock.
    package mutating func recordSettled(_ head: [UInt8], _ direction: Direction, at now: Int64) -> Bool {
        guard let packet = FaultedPacket(head, direction), packet.tcp != nil || packet.transport == .udp,
            packet.ports != nil, !packet.isOpening
        else { return false }
        return connections.recordSettled(packet, at: now)
    }

    /// Decides whether a wire packet passes, and makes the packets in answer; updates the state of its connection.
    ///
    /// - Parameters:
    ///   - bytes: the packet from its IP header on.
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

    /// The faults that concern a new connection. Raises the connection count of each one; the new count is the
    /// connection's number for that fault.
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
