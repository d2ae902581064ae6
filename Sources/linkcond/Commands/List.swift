// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    /// `linkcond list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            _superCommandName: "linkcond",
            abstract: "List the profiles."
        )

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup var catalogOptions: CatalogOptions

        func run() throws {
            let mistakes = json ? printJSON() : printTable()
            for mistake in mistakes { Console.failure("\(mistake)") }
            CatalogOptions.note(catalogOptions.catalog)
        }

        private func printJSON() -> [CatalogError] {
            let (profiles, mistakes) = catalogOptions.catalog.all()
            let list = profiles.map { $0.profile.json.replacing("origin", .text($0.origin) ?? JSON()) }
            Console.data(JSON.list(list))
            return mistakes
        }

        private func printTable() -> [CatalogError] {
            let (entries, mistakes) = catalogOptions.catalog.entries()
            var table = Table(header: ["PROFILE", "DOWNLINK", "UPLINK", "DNS", "FROM"])
            for entry in entries {
                let overview = entry.overview
                table.add([overview.name, overview.downlink, overview.uplink, overview.dns, "\(entry.origin)"])
            }
            Console.data(table.lines())
            return mistakes
        }
    }
}
