// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A planned check of whether a connection has been idle for as long as a fault requires.
///
/// A packet does not change the planned checks of its connection: a check that finds a later packet is postponed when
/// it is due.
struct IdleTurn: Comparable, Sendable {
    /// The time of the check, in nanoseconds.
    var due: Int64
    let ends: FaultConnection.Ends
    /// The connection's start, which identifies it among connections between the same ends.
    let opened: Int64
    /// The index of the fault.
    let fault: Int
    /// The start of the idle time for which chance has already decided against the fault; nil if there is none.
    var decided: Int64?

    static func < (left: IdleTurn, right: IdleTurn) -> Bool { left.due < right.due }

    /// The first check for each candidate whose fault ends idle connections.
    static func turns(
        for candidates: [FaultConnection.Candidate],
        _ faults: [Fault],
        _ ends: FaultConnection.Ends,
        opened: Int64
    ) -> [IdleTurn] {
        candidates.compactMap { candidate in
            let fault = faults[candidate.fault]
            guard fault.endsIdleConnections, let time = fault.idleTime else { return nil }
            return IdleTurn(due: opened + time, ends: ends, opened: opened, fault: candidate.fault)
        }
    }
}

extension Fault {
    /// The idle time that the match requires, in nanoseconds; nil if it requires none.
    var idleTime: Int64? { if case .idle(let time) = match.after { time.nanoseconds } else { nil } }
}
