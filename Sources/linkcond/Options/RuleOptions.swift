// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog

/// What carries the conditions.
enum EngineOption: String, CaseIterable, ExpressibleByArgument {
    case auto
    case netem
    case userspace

    /// The engine that is named; nil where the choice is left to what the kernel can do.
    var engine: Engine? { Engine(rawValue: rawValue) }
}

/// How a rule is made.
struct RuleOptions: ParsableArguments {
    @Option(name: .long, help: "What carries the conditions: auto, netem or userspace.")
    var engine = EngineOption.auto

    @Option(name: .long, help: "Start of the random sequences, to make a run happen again.")
    var seed: UInt64?

    @Flag(name: .long, help: "Go ahead of other tc filters on the interface; they then miss conditioned packets.")
    var beforeForeign = false

    /// Whether nothing is said about a rule; an engine can be named without one.
    var isEmpty: Bool { seed == nil && !beforeForeign }

    /// The rule that is asked for, with all that it takes to carry it.
    func request(_ loaded: LoadedProfile, _ selection: Selection) throws -> RuleRequest {
        let loaded = loaded.withAbsolutePaths
        return RuleRequest(
            profile: loaded.profile,
            selection: selection,
            seed: seed,
            beforeForeign: beforeForeign,
            engine: engine.engine,
            recordings: try Failure.catching { try loaded.recordings() }
        )
    }
}

/// Whether to act.
struct DryRunOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the equivalent ip and tc commands instead of doing anything.")
    var dryRun = false

    /// Prints what would be done to one interface.
    func show(_ request: RuleRequest, on interface: String, _ conditioner: InterfaceConditioner) throws {
        let (plan, notes) = try conditioner.plan(request, on: interface)
        plan.commands.forEach(Console.data)
        for note in notes { Console.note("note: \(note)") }
    }
}

extension Plan {
    /// The commands of ip(8) and tc(8) that do the same.
    var commands: [String] { taps.map(\.command) + (build + teardown).map(\.command) }
}
