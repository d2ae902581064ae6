// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            .list,
            abstract: "List the profiles to try first, or those with some words, or all.",
            discussion: """
                Words are looked for in names, figures, summaries and sources; common other names of a network, such as \
                "offline", "subway" or "4g", are known. A rate, delay or loss that differs is that of the downlink, then \
                that of the uplink; delays are one way.
                """,
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

        @Flag(name: .long, help: "List every profile, by origin.")
        var all = false

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
            let (every, mistakes) = catalog.all()
            let search = ProfileSearch(words)
            let profiles = every.filter { (!broken || $0.isBroken) && search.matches($0) }
            let scenarios =
                broken && !mine
                ? try scenarios(catalog).filter {
                    search.matches(name: $0.scenario.name, summary: $0.scenario.summary, $0.changeWords)
                } : []
            let isEmpty = profiles.isEmpty && scenarios.isEmpty
            let isSelection = broken || !words.isEmpty
            if json || !isEmpty {
                Console.data(
                    lines(profiles, scenarios),
                    or: .list(profiles.map(\.json) + scenarios.map(\.json)),
                    asJSON: json
                )
            } else if !isSelection, let directory = catalog.ownDirectory {
                Console.failure(String("no profile in \(directory)", try: "linkcond new NAME --from PROFILE"))
            }
            if !isSelection, !json, !all, !mine {
                Console.notes(
                    """

                    linkcond run slow-net -- COMMAND   try one
                    linkcond show slow-net             see one
                    linkcond list --all                \(profiles.count) in all
                    linkcond list subway               find some by a word
                    """
                )
            }
            for mistake in mistakes { Console.failure("\(mistake)") }
            CatalogOptions.note(catalog)
            guard isEmpty, isSelection else { return }
            let wanted = words.map { "\"\($0)\"" }.joined(separator: " and ")
            let which = (broken ? "broken " : "") + (mine ? "profile of your own" : "profile")
            throw Failure(
                .notFound,
                words.isEmpty ? "there is no \(which)" : "no \(which) has \(wanted)",
                remedy: mine ? "linkcond list --mine" : "linkcond list --all"
            )
        }

        private func lines(_ profiles: [LoadedProfile], _ scenarios: [LoadedScenario]) -> [OutputLine] {
            let listing = ProfileListing(profiles)
            if broken { return ProfileTable.lines(ofBroken: listing.profiles, scenarios) }
            if mine { return ProfileTable.lines(ofOwn: listing.profiles) }
            if all { return ProfileTable.lines(byOrigin: ProfileListing.byOrigin(listing.profiles)) }
            guard words.isEmpty else { return ProfileTable.lines(listing.profiles) }
            return ProfileTable.lines(listing.start)
        }

        private func scenarios(_ catalog: Catalog) throws(CatalogError) -> [LoadedScenario] {
            try Catalog.brokenScenarioNames.map { name throws(CatalogError) in
                try LoadedScenario.read(path: name, catalog: catalog)
            }
        }
    }
}

extension LoadedScenario {
    fileprivate var json: JSON { scenario.json.replacing("origin", .text(origin) ?? JSON()) }
}

extension LoadedProfile {
    fileprivate var json: JSON { profile.json.replacing("origin", .text(origin) ?? JSON()) }
}
