// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import LinuxSystem
import Netlink
import ProfileCatalog
import Sandboxing

/// Gives an interface a rule, or prints what would.
struct RuleChange {
    let connection: RouteConnection
    let home: RouteConnection
    /// The command, in a word.
    let command: String

    /// A rule as somebody wants it.
    struct Wish {
        var request: RuleRequest
        /// What is to carry it; nil leaves that to what the kernel can do.
        var engine: Engine?
        /// The recordings that the profile names.
        var recordings: Recordings = [:]
        /// When it ends, by `BootClock`.
        var until: Duration?
        /// When it ends unless somebody confirms it.
        var confirmBy: Duration?

        /// Whether it ends by itself.
        var hasDeadline: Bool { until != nil || confirmBy != nil }

        func ending(_ guardian: ProcessIdentity, isTied: Bool = false) -> JournalEntry.Ending {
            JournalEntry.Ending(guardian: guardian, until: until, confirmBy: confirmBy, isTied: isTied)
        }
    }

    /// Connects to the network that is meant.
    init(_ namespace: NamespaceOptions, command: String) throws {
        home = try namespace.connectHome()
        connection = try namespace.connect()
        self.command = command
    }

    /// Prints what would be done to one interface.
    func show(_ interface: String, _ makeWish: (DeviceState) throws -> Wish) throws {
        try Failure.catching {
            let device = try Inspector(connection).device(named: interface)
            let (plan, choice) = try plan(makeWish(device), Planner(device, .current()), device)
            plan.commands.forEach(Console.data)
            for note in [choice.note].compactMap({ $0 }) + plan.notes { Console.note("note: \(note)") }
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

    /// Gives the interface the rule, in the place of the one for the same traffic, and leaves processes behind that carry
    /// it and end it, where it needs such.
    ///
    /// - Parameter suspended: the rule that was taken off and is put back.
    func put(_ wish: Wish, restoring suspended: JournalEntry.Rule? = nil, on claim: Claim) throws {
        let (plan, choice) = try plan(wish, claim.planner, claim.state)
        try choice.require(plan, Conditioner(connection, home: home))
        if let note = choice.note, !plan.expected.isEmpty { Console.note("note: \(note)") }
        let before = suspended ?? claim.entry?.rule(for: wish.request.selection)
        let isTied = before?.ending?.isTied ?? false
        if let before, isTied, before.engine != choice.engine || !plan.taps.isEmpty {
            throw Failure(
                .unavailable,
                "\(claim.name) has \"\(before.profile.name)\" as long as a command runs, with processes of that "
                    + "command's, which cannot be replaced"
                    + (before.engine == choice.engine ? "" : "\ntry: --engine \(before.engine.rawValue)")
            )
        }
        let rule = { (guardian: ProcessIdentity?) in
            let ending = guardian.map { wish.ending($0, isTied: isTied) }
            return JournalEntry.Rule(wish.request, choice.engine, owner: .current, ending: ending)
        }
        // Who sees to a rule goes on doing so when its conditions or its times change.
        let guardian = before.flatMap { $0.engine == choice.engine ? $0.ending?.guardian : nil }
        let needsGuardian = !plan.expected.isEmpty && (choice.engine == .userspace || wish.hasDeadline || isTied)
        guard plan.expected.isEmpty || choice.engine == .netem || !plan.taps.isEmpty || guardian?.isAlive == true else {
            throw Failure(
                .inputOutput,
                "the journal does not know the processes that carry the conditions of \(claim.name)\n"
                    + "try: linkcond reset -i \(claim.name)"
            )
        }
        if !plan.taps.isEmpty || needsGuardian && guardian?.isAlive != true {
            let device = PumpedDevice(name: claim.name, taps: plan.taps)
            let task = PumpTask(device: device, profile: wish.request.conditions, recordings: wish.recordings)
            try put(rule, plan.taps.isEmpty ? nil : task, as: plan, on: claim)
        } else {
            try put(rule(needsGuardian ? guardian : nil), as: plan, on: claim)
        }
    }

    private func plan(_ wish: Wish, _ planner: Planner, _ state: DeviceState) throws -> (Plan, EngineChoice) {
        let current = state.rules.first { $0.selection == wish.request.selection }
        let choice = EngineChoice(
            wish.engine,
            wish.request,
            [planner],
            Conditioner(connection, home: home),
            current: current.map { $0.isPumped ? .userspace : .netem }
        )
        return (try choice.plan(planner, wish.request), choice)
    }

    private func put(_ rule: JournalEntry.Rule, as plan: Plan, on claim: Claim) throws {
        let signals = HeldSignals()
        defer { signals.release() }
        let losses = try claim.put(rule, as: plan) { signals.release() }
        for note in plan.notes + losses { Console.note("note: \(note)") }
    }

    private func put(
        _ rule: (ProcessIdentity) -> JournalEntry.Rule,
        _ task: PumpTask?,
        as plan: Plan,
        on claim: Claim
    ) throws {
        guard claim.entry != nil else {
            let subject = task == nil ? "what ends by itself" : "what a process carries"
            throw Failure(
                .inputOutput,
                "\(subject) needs a journal, and there is no $XDG_RUNTIME_DIR for it\n"
                    + "try: LINKCOND_STATE_DIR=DIRECTORY linkcond ..."
            )
        }
        do {
            let guardian = try Guardian.start(on: claim, pump: task, rule)
            try put(rule(guardian.identity), as: plan, on: claim)
            try guardian.requireLife()
        } catch let error as SandboxError {
            throw Failure(task == nil ? .refusedByKernel : .unavailable, error.description)
        }
    }

    /// Who may not change the network need not hear of the journal first.
    private func openJournal() throws -> Journal? {
        do {
            return try Journal.open()
        } catch {
            if let refusal = refusal() { throw refusal }
            throw error
        }
    }

    /// What keeps this process from changing the network at all.
    private func refusal() -> ConditioningError? {
        do {
            try Conditioner(connection, home: home).require([.netem])
            return nil
        } catch {
            return error.code == .notPermitted ? error : nil
        }
    }

    private static let unwritten = """
        no journal is kept, since there is no $XDG_RUNTIME_DIR: if linkcond is killed midway, only a reset mends it
        """
}

extension Plan {
    /// The commands of ip(8) and tc(8) that do the same.
    var commands: [String] { taps.map(\.command) + (build + retire).map(\.command) }
}
