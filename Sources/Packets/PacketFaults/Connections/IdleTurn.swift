// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The turn at which a connection is checked for the idle time that a fault names.
///
/// A packet changes no turn: it is looked at again, and postponed, when it is due.
struct IdleTurn: Comparable, Sendable {
    /// The time in nanoseconds.
    var due: Int64
    let ends: FaultConnection.Ends
    /// Tells the connection from others between the same ends.
    let opened: Int64
    /// The index of the fault.
    let fault: Int
    /// The idle time that the fault has decided about already: when it began.
    var decided: Int64?

    static func < (left: IdleTurn, right: IdleTurn) -> Bool { left.due < right.due }

    /// The turns of those faults that end idle connections.
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
    /// For how long nothing must have been sent, in nanoseconds; nil if that does not matter.
    var idleTime: Int64? { if case .idle(let time) = match.after { time.nanoseconds } else { nil } }
}
