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
