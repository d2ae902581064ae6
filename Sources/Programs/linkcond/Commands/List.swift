// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            .list,
            abstract: "List the profiles, or search them.",
            examples: "list",
            "list satellite"
        )

        @Argument(
            help: ArgumentHelp(
                "Words that a profile must have, all of them, in capital or small letters.",
                valueName: "WORDS"
            )
        )
        var words: [String] = []

        @Flag(name: .long, help: "List your own profiles only, those that \"new\" makes.")
        var mine = false

        @Flag(
            name: .long,
            help: "List broken networks only, and what goes wrong there: faults, a NAT, outages, changes by steps."
        )
        var broken = false

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup(title: "Rare") var catalogOptions: CatalogOptions

        func run() throws {
            let catalog = mine ? catalogOptions.catalog.own : catalogOptions.catalog
            let (all, mistakes) = catalog.all()
            let profiles = all.filter(matches)
            let scenarios = broken && !mine ? try scenarios(catalog).filter(matches) : []
            let isEmpty = profiles.isEmpty && scenarios.isEmpty
            let isSelection = broken || !words.isEmpty
            if json || !isEmpty {
                Console.data(
                    broken ? faults(profiles, scenarios) : table(profiles),
                    or: .list(profiles.map(\.json) + scenarios.map(\.json)),
                    asJSON: json
                )
            } else if !isSelection, let directory = catalog.ownDirectory {
                Console.notes(String("no profile in \(directory)", try: "linkcond new NAME --from PROFILE"))
            }
            for mistake in mistakes { Console.failure("\(mistake)") }
            CatalogOptions.note(catalog)
            guard isEmpty, isSelection else { return }
            let wanted = words.map { "\"\($0)\"" }.joined(separator: " and ")
            let which = (broken ? "broken " : "") + (mine ? "profile of your own" : "profile")
            throw Failure(
                .notFound,
                words.isEmpty ? "there is no \(which)" : "no \(which) has \(wanted)",
                remedy: mine ? "linkcond list --mine" : "linkcond list"
            )
        }

        private func table(_ profiles: [LoadedProfile]) -> [OutputLine] {
            let table = Table(header: ["PROFILE", "DOWNLINK", "UPLINK", "DNS", "FROM"], of: profiles) {
                let overview = ProfileOverview($0.profile)
                return [overview.name, overview.downlink, overview.uplink, overview.dns, "\($0.origin)"]
            }
            // If standard output is not a terminal, such as a pipe to grep, the lines are not wrapped.
            return table.lines(width: isatty(STDOUT_FILENO) == 1 ? TerminalSize(of: STDOUT_FILENO).columns : nil)
        }

        private func scenarios(_ catalog: Catalog) throws(CatalogError) -> [LoadedScenario] {
            try Catalog.scenarioNames.map { name throws(CatalogError) in
                try LoadedScenario.read(path: name, catalog: catalog)
            }
        }

        /// The faults of each network, one per line, including steps that change the network.
        private func faults(_ profiles: [LoadedProfile], _ scenarios: [LoadedScenario]) -> [OutputLine] {
            let networks =
                profiles.map { (name: $0.profile.name, words: $0.profile.brokenWords, origin: $0.origin) }
                + scenarios.map { (name: $0.scenario.name, words: $0.changeWords, origin: $0.origin) }
            let rows = networks.flatMap { network in
                network.words.enumerated().map { (network: network, index: $0, words: $1) }
            }
            return Table(header: ["PROFILE", "FAULT", "FROM"], of: rows) { row in
                [row.index == 0 ? row.network.name : "", row.words, "\(row.network.origin)"]
            }.lines()
        }

        private func matches(_ loaded: LoadedScenario) -> Bool {
            let text = ([loaded.scenario.name, loaded.scenario.summary ?? ""] + loaded.changeWords)
                .joined(separator: "\n").lowercased()
            return words.allSatisfy { text.contains($0.lowercased()) }
        }

        private func matches(_ loaded: LoadedProfile) -> Bool {
            guard !broken || !loaded.profile.brokenWords.isEmpty else { return false }
            guard !words.isEmpty else { return true }
            let overview = ProfileOverview(loaded.profile)
            let texts = [overview.name, overview.downlink, overview.uplink, overview.dns]
            let text =
                (texts + [loaded.profile.summary, loaded.profile.source].compactMap { $0 }
                + loaded.profile.brokenWords)
                .joined(separator: "\n").lowercased()
            return words.allSatisfy { text.contains($0.lowercased()) }
        }
    }
}

extension LoadedScenario {
    /// Descriptions of the steps' changes to the network.
    fileprivate var changeWords: [String] {
        scenario.steps.map { "\($0.changes.words.joined(separator: ", ")) after \($0.after.condition)" }
    }

    fileprivate var json: JSON { scenario.json.replacing("origin", .text(origin) ?? JSON()) }
}

extension LoadedProfile {
    fileprivate var json: JSON { profile.json.replacing("origin", .text(origin) ?? JSON()) }
}
