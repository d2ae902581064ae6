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

    /// The rule that is asked for.
    func request(_ loaded: LoadedProfile, _ selection: Selection) -> RuleRequest {
        RuleRequest(
            profile: loaded.profile,
            selection: selection,
            seed: seed,
            beforeForeign: beforeForeign,
            origin: .here
        )
    }

    /// The rule for an interface, with all that it takes to carry it.
    func wish(_ request: RuleRequest, _ loaded: LoadedProfile) throws -> RuleChange.Wish {
        let loaded = loaded.withAbsolutePaths
        var request = request
        request.profile = loaded.profile
        let recordings = try Failure.catching { try loaded.recordings() }
        return RuleChange.Wish(request: request, engine: engine.engine, recordings: recordings)
    }
}

/// Whether to act.
struct DryRunOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the equivalent ip and tc commands instead of doing anything.")
    var dryRun = false
}
