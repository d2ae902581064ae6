// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Netlink
import Sandboxing

/// Gives an interface a rule, or prints what would.
struct RuleChange {
    let connection: RouteConnection
    let home: RouteConnection
    /// The command, in a word.
    let command: String

    /// Connects to the network that is meant.
    init(_ namespace: NamespaceOptions, command: String) throws {
        home = try namespace.connectHome()
        connection = try namespace.connect()
        self.command = command
    }

    /// Prints the plan for one interface.
    func show(_ interface: String, _ makePlan: (DeviceState, Planner) throws -> Plan) throws {
        try Failure.catching {
            let device = try Inspector(connection).device(named: interface)
            let plan = try makePlan(device, Planner(device, .current()))
            for operation in plan.build + plan.retire { Console.data(operation.command) }
            for note in plan.notes { Console.note("note: \(note)") }
        }
    }

    /// Takes an interface for a change; `body` has to bring it to its end.
    func taking<Value>(_ interface: String, _ body: (Claim) throws -> Value) throws -> Value {
        try Failure.catching {
            let journal = try openJournal()
            if journal == nil { Console.note("note: \(Self.unwritten)") }
            let claim = try Claim(interface, connection, home: home, journal: journal, command: command)
            defer { claim.release() }
            for note in claim.notes { Console.note("note: \(note)") }
            return try body(claim)
        }
    }

    /// Does what a plan says.
    func put(_ rule: JournalEntry.Rule, as plan: Plan, on claim: Claim, ready: () -> Void = {}) throws {
        let delay = SignalDelay()
        defer { delay.end() }
        let losses = try claim.put(rule, as: plan) {
            ready()
            delay.end()
        }
        for note in plan.notes + losses { Console.note("note: \(note)") }
    }

    /// Does what a plan says, and leaves a process behind that ends it.
    func put(_ request: RuleRequest, _ ending: EndingOptions, as plan: Plan, on claim: Claim) throws {
        guard claim.entry != nil else {
            throw Failure(
                .inputOutput,
                "what ends by itself needs a journal, and there is no $XDG_RUNTIME_DIR for it\n"
                    + "try: LINKCOND_STATE_DIR=DIRECTORY linkcond ..."
            )
        }
        let owner = ProcessIdentity.current
        let rule = { (guardian: ProcessIdentity) in
            JournalEntry.Rule(request, owner: owner, ending: ending.ending(guardian))
        }
        do {
            let guardian = try Guardian.start(on: claim, rule)
            try put(rule(guardian.identity), as: plan, on: claim)
            try guardian.requireLife()
        } catch let error as SandboxError {
            throw Failure(.refusedByKernel, error.description)
        }
    }

    /// Who may not change the network need not hear of the journal first.
    private func openJournal() throws -> Journal? {
        do {
            return try Journal.open()
        } catch {
            try Conditioner(connection, home: home).require([.netem])
            throw error
        }
    }

    private static let unwritten = """
        no journal is kept, since there is no $XDG_RUNTIME_DIR: if linkcond is killed midway, only a reset mends it
        """
}
