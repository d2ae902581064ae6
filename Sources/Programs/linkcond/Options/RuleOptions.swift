// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import ProfileCatalog
import TrafficControl

enum EngineOption: String, CaseIterable, ExpressibleByArgument {
    case auto
    case netem
    case userspace

    /// The selected engine; nil for `auto`.
    var engine: Engine? { Engine(rawValue: rawValue) }
}

enum FacingOption: String, CaseIterable, ExpressibleByArgument {
    case host
    case peer
}

extension Facing {
    /// The text that messages append to the profile's name.
    var words: String { self == .host ? "" : ", facing the peer" }
}

struct FacingOptions: ParsableArguments {
    @Option(
        name: .customLong("facing"),
        help: ArgumentHelp(
            """
            Whose link the profile describes: this host's, or that of the machine at the interface's other end \
            (peer), whose uplink arrives here.
            """,
            valueName: "WHO"
        )
    )
    private var option = FacingOption.host

    var facing: Facing { option == .host ? .host : .peer }
}

struct SeedOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The seed of the random sequences, to repeat a run.", valueName: "N"))
    var seed: UInt64?
}

struct EngineOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The engine that carries the conditions.", valueName: "ENGINE"))
    var engine = EngineOption.auto

    @Flag(name: .long, help: "Precede other tc filters on the interface; they then miss conditioned packets.")
    var beforeForeign = false
}

struct RuleOptions: ParsableArguments {
    @OptionGroup(title: "Link") private var random: SeedOptions
    @OptionGroup(title: "Rare") private var engineOptions: EngineOptions

    var seed: UInt64? { random.seed }
    var engine: EngineOption { engineOptions.engine }
    var beforeForeign: Bool { engineOptions.beforeForeign }

    @Flag(
        name: .shortAndLong,
        help: "Say why an engine was chosen; with --dry-run or --tc, print each command."
    )
    var verbose = false

    /// Whether no option is given that needs a rule; an engine may be given without one.
    var isEmpty: Bool { seed == nil && !beforeForeign }

    /// Makes the request for a rule, with its recordings.
    func request(_ loaded: LoadedProfile, _ selection: Selection) throws -> RuleRequest {
        var request = try loaded.request(selection, seed: seed)
        (request.beforeForeign, request.engine) = (beforeForeign, engine.engine)
        return request
    }
}

extension LoadedProfile {
    /// Makes the request for a rule, with its recordings.
    func request(_ selection: Selection = Selection(), seed: UInt64?) throws -> RuleRequest {
        var loaded = withAbsolutePaths
        loaded.profile.faults = try RemoteNames.resolved(loaded.profile.faults)
        let recordings = try loaded.recordings()
        return RuleRequest(profile: loaded.profile, selection: selection, seed: seed, recordings: recordings)
    }
}

struct DryRunOptions: ParsableArguments {
    @Flag(name: .long, help: "Say what would be done, with --verbose as ip and tc commands, and change nothing.")
    var dryRun = false
}
