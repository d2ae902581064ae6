// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkConditioning
import Netlink

/// Takes every rule of some interfaces away. Every interface is free before any lane is waited for, and what fails
/// does not keep the rest from its turn.
struct Removal {
    /// What is done to each interface.
    let plans: [Plan]
    private let claims: [Claim]
    private let connection: RouteConnection

    /// Takes the interfaces, in an order that all do it in, so that no two wait for each other.
    init(_ interfaces: [String], _ connection: RouteConnection, command: String) throws {
        self.connection = connection
        let journal = Self.journal()
        claims = try Failure.catching {
            try interfaces.map { name in
                try Claim(name, connection, journal: journal, command: command, strictness: .lenient)
            }
        }
        plans = claims.map { $0.beginRemoval(of: nil) }
        for note in claims.flatMap(\.notes) { Console.note("note: \(note)") }
    }

    /// Does it.
    ///
    /// - Returns: what a lane still held when it was deleted, in words.
    func carryOut(abandoned: [LaneState], isPatient: Bool) throws -> [String] {
        defer { for claim in claims { claim.release() } }
        var plan = Plan()
        let operations = plans.flatMap(\.retire) + abandoned.map { .deleteDevice($0.name.description) }
        plan.retire = (0...2).flatMap { turn in operations.filter { $0.turn == turn } }
        if !isPatient { plan.retire.removeAll(where: \.isDrain) }
        let losses = try Failure.catching { try Conditioner(connection).retire(plan) }
        for claim in claims { claim.finishRemoval(of: nil) }
        return losses
    }

    /// To undo is more important than to write about it.
    private static func journal() -> Journal? {
        do {
            return try Journal.open()
        } catch {
            Console.note("note: \(error.message)")
            return nil
        }
    }
}

extension LinkConditioning.Operation {
    /// When it has its turn: what sets traffic free, then what is given back, behind a pump that still needs its way
    /// back, then the lanes, which remember that.
    fileprivate var turn: Int {
        switch self {
        case .deleteFilter: 0
        case .drain, .deleteDevice: 2
        default: 1
        }
    }
}
