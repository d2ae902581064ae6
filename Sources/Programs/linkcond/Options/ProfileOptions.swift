// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import ProfileCatalog
import Trials

/// The additional directories of profiles.
struct CatalogOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("Search this directory of profiles first; repeatable.", valueName: "DIR"))
    var profilePath: [String] = []

    var catalog: Catalog { Self.catalog(extra: profilePath) }

    /// The catalog of the default directories, preceded by `extra`.
    static func catalog(extra: [String] = []) -> Catalog {
        var environment: [String: String] = [:]
        for name in ["LINKCOND_PROFILE_PATH", "XDG_CONFIG_HOME", "HOME", "SUDO_UID"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        return Catalog(extra: extra, environment: environment)
    }

    /// Loads the profile that `word` names; prints notes about directories that could contain it and are not searched.
    func profile(_ word: String) throws -> LoadedProfile {
        let catalog = catalog
        if !Catalog.isPath(word) { Self.note(catalog) }
        return try catalog.profile(word)
    }

    /// Prints a note for each directory that is not searched because others may change it.
    static func note(_ catalog: Catalog) {
        for directory in catalog.untrusted() { Console.failure("note: \(directory)") }
    }
}

/// Figures that override those of a profile, or make a profile by themselves.
struct FigureOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The delay one way, in each direction, such as 50ms.", valueName: "TIME"))
    var delay: String?

    @Option(name: .long, help: ArgumentHelp("The rate in each direction, such as 2Mbit/s.", valueName: "RATE"))
    var rate: String?

    @Option(name: .long, help: ArgumentHelp("The loss in each direction, such as 5%.", valueName: "PERCENT"))
    var loss: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Figures of the downlink, such as 'rate=1 Mbit/s,delay=50 ms'.", valueName: "FIGURES")
    )
    var downlink: String?

    @Option(name: .long, help: ArgumentHelp("Figures of the uplink, such as 'loss=5 %'.", valueName: "FIGURES"))
    var uplink: String?

    @Option(name: .long, help: ArgumentHelp("Figures for queries to port 53: 'delay=1 s'.", valueName: "FIGURES"))
    var dns: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Traffic of others that shares the link, such as 'bulk', 'bulk up', 'video 8 Mbit/s'; repeatable.",
            valueName: "TRAFFIC"
        )
    )
    var competing: [String] = []

    /// The options, as messages name them.
    static let names = "--rate, --delay, --loss, --downlink, --uplink, --dns or --competing"

    var isGiven: Bool { both != nil || downlink != nil || uplink != nil || dns != nil || !competing.isEmpty }

    /// The figures of both directions, by their keys.
    private var shared: [(key: String, text: String)] {
        [("rate", rate), ("delay", delay), ("loss", loss)].compactMap { key, text in text.map { (key, $0) } }
    }

    /// The figures of both directions, as a list; nil if none is given.
    private var both: String? {
        shared.isEmpty ? nil : shared.map { "\($0.key)=\($0.text)" }.joined(separator: ",")
    }

    /// Refuses a mistake in a figure of both directions by the option, and not once for each direction.
    private func checkShared() throws(Failure) {
        for (key, text) in shared {
            do throws(InvalidProfile) {
                _ = try Profile(name: "figure").overriding([("downlink", "\(key)=\(text)")])
            } catch {
                let issue = error.issues[0]
                let words = issue.withoutPosition.dropFirst("\(issue.path): ".count)
                throw Failure(.badProfile, "--\(key): \(words)")
            }
        }
    }

    /// Returns the profile with these figures instead of its own.
    func overriding(_ profile: Profile) throws -> Profile {
        try checkShared()
        // The figures of one direction come last, and override those of both.
        let figures = [
            ("downlink", both), ("uplink", both), ("downlink", downlink), ("uplink", uplink), ("dns", dns),
        ]
        let profile = try profile.overriding(figures.compactMap { key, text in text.map { (key, $0) } })
        do throws(InvalidProfile) {
            return try CompetingList.overriding(profile, by: competing)
        } catch {
            throw Failure(.badProfile, "--competing: \(error.issues[0].withoutPosition.dropFirst("$: ".count))")
        }
    }
}

/// The conditions: a profile, figures, or a profile overridden by figures.
struct ProfileOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A profile's name, a path to one (with \"/\" or \".json\"), or \"-\" for standard input.",
            valueName: "PROFILE"
        )
    )
    var profile: String?

    @OptionGroup(title: "Link") var figures: FigureOptions
    @OptionGroup(title: "Rare") var catalogOptions: CatalogOptions

    /// Loads the profile, overridden by the figures.
    func load() throws -> LoadedProfile {
        guard let loaded = try loadIfGiven() else {
            throw ValidationError(
                "Missing a profile; \"linkcond list\" shows them. Or give \(FigureOptions.names)."
            )
        }
        return loaded
    }

    /// Loads the profile as `load` does, or the scenario, the rules or the population if the file contains these.
    func loadFile() throws -> LoadedFile {
        let catalog = catalogOptions.catalog
        guard let profile,
            Catalog.isPath(profile) || catalog.isScenario(profile) || Catalog.isPopulationName(profile)
        else { return .profile(try load()) }
        switch try catalog.load(profile) {
        case .profile(let loaded): return .profile(try overridden(loaded))
        case .scenario(let scenario):
            guard !figures.isGiven else {
                throw Failure(.usage, "\(FigureOptions.names) is for a profile; \(profile) is a scenario")
            }
            return .scenario(scenario)
        case .rules(let rules): return .rules(rules)
        case .population(let population): return .population(population)
        }
    }

    var isGiven: Bool { profile != nil || figures.isGiven }

    /// Loads the profile, overridden by the figures; nil if neither is given.
    func loadIfGiven() throws -> LoadedProfile? {
        guard isGiven else { return nil }
        let base = try profile.map { try catalogOptions.profile($0) }
        return try overridden(base ?? Self.blank)
    }

    /// The empty profile that figures override if no profile is given.
    static let blank = LoadedProfile(profile: Profile(name: "figures of the command line"), origin: .commandLine)

    private func overridden(_ base: LoadedProfile) throws -> LoadedProfile {
        guard figures.isGiven else { return base }
        var loaded = base
        loaded.profile = try figures.overriding(loaded.profile)
        return loaded
    }
}

extension LoadedProfile {
    /// The name in quotes, with the file's path if a built-in profile has the same name; the figures if only they are
    /// given, since their common name would hide a slip.
    var label: String {
        guard origin != .commandLine else { return profile.timelineFigures.joined(separator: "; ") }
        return "\"\(profile.name)\"" + (hidesBuiltIn ? " (\(origin))" : "")
    }
}
