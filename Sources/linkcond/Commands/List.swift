// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    /// `linkcond list [WORD...]`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            _superCommandName: "linkcond",
            abstract: "List the profiles, or those that have some words in their name, figures, summary or source."
        )

        @Argument(help: "Words that a profile must have, all of them, in capital or small letters.")
        var words: [String] = []

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup var catalogOptions: CatalogOptions

        func run() throws {
            let catalog = catalogOptions.catalog
            let mistakes: [CatalogError]
            var isEmpty = false
            if json || !words.isEmpty {
                let (all, unreadable) = catalog.all()
                let profiles = all.filter(matches)
                (mistakes, isEmpty) = (unreadable, profiles.isEmpty)
                if json {
                    Console.data(JSON.list(profiles.map(\.json)))
                } else if !isEmpty {
                    Console.data(table(profiles.map { (ProfileOverview($0.profile), $0.origin) }))
                }
            } else {
                // Built-in profiles need not be parsed for it.
                let (entries, unreadable) = catalog.entries()
                mistakes = unreadable
                Console.data(table(entries.map { ($0.overview, $0.origin) }))
            }
            for mistake in mistakes { Console.failure("\(mistake)") }
            CatalogOptions.note(catalog)
            guard isEmpty else { return }
            let wanted = words.map { "\"\($0)\"" }.joined(separator: " and ")
            throw Failure(.notFound, "no profile has \(wanted)\ntry: linkcond list")
        }

        private func table(_ profiles: [(overview: ProfileOverview, origin: LoadedProfile.Origin)]) -> [OutputLine] {
            var table = Table(header: ["PROFILE", "DOWNLINK", "UPLINK", "DNS", "FROM"])
            for (overview, origin) in profiles {
                table.add([overview.name, overview.downlink, overview.uplink, overview.dns, "\(origin)"])
            }
            // What is not a terminal, such as grep, reads all of it.
            return table.lines(width: isatty(STDOUT_FILENO) == 1 ? TerminalSize(of: STDOUT_FILENO).columns : nil)
        }

        /// Whether the profile has all the words.
        private func matches(_ loaded: LoadedProfile) -> Bool {
            guard !words.isEmpty else { return true }
            let overview = ProfileOverview(loaded.profile)
            let texts = [overview.name, overview.downlink, overview.uplink, overview.dns]
            let text = (texts + [loaded.profile.summary, loaded.profile.source].compactMap { $0 })
                .joined(separator: "\n").lowercased()
            return words.allSatisfy { text.contains($0.lowercased()) }
        }
    }
}

extension LoadedProfile {
    /// The profile with its origin.
    fileprivate var json: JSON { profile.json.replacing("origin", .text(origin) ?? JSON()) }
}
