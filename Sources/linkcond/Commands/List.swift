// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            "list",
            abstract: "List the profiles, or those that have some words in their name, figures, summary or source."
        )

        @Argument(help: "Words that a profile must have, all of them, in capital or small letters.")
        var words: [String] = []

        @Flag(name: .long, help: "List your own profiles only, those that \"new\" makes.")
        var mine = false

        @Flag(name: .long, help: "List broken networks only: with faults, a NAT or outages, and what goes wrong there.")
        var broken = false

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup var catalogOptions: CatalogOptions

        func run() throws {
            let catalog = mine ? catalogOptions.catalog.own : catalogOptions.catalog
            let mistakes: [CatalogError]
            var isEmpty = false
            if json || broken || !words.isEmpty {
                let (all, unreadable) = catalog.all()
                let profiles = all.filter(matches)
                (mistakes, isEmpty) = (unreadable, profiles.isEmpty && (broken || !words.isEmpty))
                if json || !profiles.isEmpty {
                    Console.data(
                        broken ? faults(profiles) : table(profiles.map { (ProfileOverview($0.profile), $0.origin) }),
                        or: .list(profiles.map(\.json)),
                        asJSON: json
                    )
                }
            } else {
                // Built-in profiles need not be parsed for it.
                let (entries, unreadable) = catalog.entries()
                mistakes = unreadable
                if !entries.isEmpty { Console.data(table(entries.map { ($0.overview, $0.origin) })) }
                if entries.isEmpty, let place = catalog.ownDirectory {
                    Console.notes(String("no profile in \(place)", try: "linkcond new NAME --from PROFILE"))
                }
            }
            for mistake in mistakes { Console.failure("\(mistake)") }
            CatalogOptions.note(catalog)
            guard isEmpty else { return }
            let wanted = words.map { "\"\($0)\"" }.joined(separator: " and ")
            let which = (broken ? "broken " : "") + (mine ? "profile of your own" : "profile")
            throw Failure(
                .notFound,
                words.isEmpty ? "there is no \(which)" : "no \(which) has \(wanted)",
                remedy: mine ? "linkcond list --mine" : "linkcond list"
            )
        }

        private func table(_ profiles: [(overview: ProfileOverview, origin: LoadedProfile.Origin)]) -> [OutputLine] {
            let table = Table(header: ["PROFILE", "DOWNLINK", "UPLINK", "DNS", "FROM"], of: profiles) {
                [$0.overview.name, $0.overview.downlink, $0.overview.uplink, $0.overview.dns, "\($0.origin)"]
            }
            // What is not a terminal, such as grep, reads all of it.
            return table.lines(width: isatty(STDOUT_FILENO) == 1 ? TerminalSize(of: STDOUT_FILENO).columns : nil)
        }

        /// What goes wrong in each: a line a fault.
        private func faults(_ profiles: [LoadedProfile]) -> [OutputLine] {
            let rows = profiles.flatMap { loaded in
                loaded.profile.brokenWords.enumerated().map { (loaded: loaded, index: $0, words: $1) }
            }
            return Table(header: ["PROFILE", "FAULT", "FROM"], of: rows) { row in
                [row.index == 0 ? row.loaded.profile.name : "", row.words, "\(row.loaded.origin)"]
            }.lines()
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

extension LoadedProfile {
    fileprivate var json: JSON { profile.json.replacing("origin", .text(origin) ?? JSON()) }
}
