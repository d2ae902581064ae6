// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog

/// What carries the conditions.
enum EngineChoice: String, CaseIterable, ExpressibleByArgument {
    case auto
    case netem
    case userspace
}

/// How a rule is made.
struct RuleOptions: ParsableArguments {
    @Option(name: .long, help: "What carries the conditions: auto, netem or userspace.")
    var engine = EngineChoice.auto

    @Option(name: .long, help: "Start of the random sequences, to make a run happen again (Linux 6.6).")
    var seed: UInt64?

    @Flag(name: .long, help: "Go ahead of other tc filters on the interface; they then miss conditioned packets.")
    var beforeForeign = false

    var isEmpty: Bool { engine == .auto && seed == nil && !beforeForeign }

    func request(_ loaded: LoadedProfile, _ selection: Selection) throws -> RuleRequest {
        guard engine != .userspace else {
            throw Failure(.unavailable, "this version has no userspace engine\ntry: --engine netem")
        }
        return RuleRequest(
            profile: loaded.profile,
            selection: selection,
            seed: seed,
            beforeForeign: beforeForeign,
            origin: .here
        )
    }
}

/// Whether to act.
struct DryRunOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the equivalent ip and tc commands instead of doing anything.")
    var dryRun = false
}

/// Carries out, or prints, the plan for one device.
struct RuleChange {
    let connection: RouteConnection
    let home: RouteConnection
    let isDry: Bool

    /// Plans from the device's state now, and does it.
    func carryOut(on device: DeviceState, _ makePlan: (Planner) throws -> Plan) throws {
        try Failure.catching {
            let plan = try makePlan(Planner(device, .current()))
            if isDry {
                for operation in plan.build + plan.retire { Console.data(operation.command) }
                for note in plan.notes { Console.note("note: \(note)") }
                return
            }
            let conditioner = Conditioner(connection, home: home)
            try conditioner.require(plan.requirements)
            try SignalDelay.during { try conditioner.build(plan, on: device.link.name) }
            for note in plan.notes + (try conditioner.retire(plan)) { Console.note("note: \(note)") }
        }
    }
}
