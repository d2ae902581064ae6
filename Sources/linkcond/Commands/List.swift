// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    /// `linkcond list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the profiles."
        )

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @OptionGroup var places: CatalogOptions

        func run() throws {
            let (profiles, mistakes) = places.catalog.all()
            if json {
                let list = profiles.map { loaded in
                    loaded.profile.json.replacing("origin", .text(loaded.origin) ?? JSON())
                }
                Console.data(JSON.list(list).text)
            } else {
                var table = Table(header: ["PROFILE", "DOWNLINK", "UPLINK", "DNS", "FROM"])
                for loaded in profiles {
                    let profile = loaded.profile
                    table.add([
                        profile.name, profile.words(.downlink), profile.words(.uplink),
                        profile.dns.map { "+ \($0.delay.text)" } ?? "-", "\(loaded.origin)",
                    ])
                }
                table.lines().forEach(Console.data)
            }
            for mistake in mistakes { Console.failure("\(mistake)") }
        }
    }
}

extension Profile {
    fileprivate func words(_ direction: Direction) -> String {
        let words = (direction == .downlink ? downlink : uplink)?.words ?? []
        let changes = schedule.map { schedule in
            schedule.steps.contains { (direction == .downlink ? $0.downlink : $0.uplink) != nil }
        }
        let all = words + (changes == true ? ["changing with time"] : [])
        return all.isEmpty ? "-" : all.joined(separator: ", ")
    }
}
