// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog

/// Lists of profiles for people, with the names in the spelling that needs no quotes.
enum ProfileTable {
    private static let figures = ["RATE DOWN/UP", "DELAY", "LOSS"]

    /// The profiles, with a few words on each; those that are not built in last, below their directories.
    static func lines(_ listing: [ListedProfile]) -> [OutputLine] {
        var table = Table(header: ["PROFILE"] + figures + ["LIKE"])
        for listed in listing where listed.loaded.isBuiltIn { add(listed, to: &table) }
        for (origin, profiles) in ProfileListing.byOrigin(listing.filter { !$0.loaded.isBuiltIn }) {
            table.add(line: "")
            table.add(line: origin)
            for listed in profiles { add(listed, to: &table) }
        }
        return table.lines(width: TerminalSize.outputColumns)
    }

    /// All profiles, below the names of their origins. Broken networks have words in place of figures.
    static func lines(byOrigin groups: [(origin: String, profiles: [ListedProfile])]) -> [OutputLine] {
        var table = Table(header: ["PROFILE"] + figures)
        for (origin, profiles) in groups {
            if origin != groups.first?.origin { table.add(line: "") }
            table.add(line: origin)
            for listed in profiles {
                let figures = ProfileFigures(listed.loaded.profile)
                let broken = listed.loaded.profile.brokenWords
                if figures.isEmpty, !broken.isEmpty {
                    let name = Catalog.shortSpelling(of: listed.loaded.profile.name)
                    table.add(line: "  \(name): \(broken.joined(separator: "; "))")
                } else {
                    table.add(cells(listed, indent: "  "))
                    // A column for this would leave the others too little room.
                    if !figures.others.isEmpty { table.add(line: "    \(figures.others.joined(separator: ", "))") }
                }
                if let others = others(listed) { table.add(line: "  \(others)") }
            }
        }
        return table.lines(width: TerminalSize.outputColumns)
    }

    /// What goes wrong in broken networks, a line each: in the profiles, and in the built-in scenarios.
    static func lines(ofBroken listing: [ListedProfile], _ scenarios: [LoadedScenario]) -> [OutputLine] {
        var table = Table(header: ["PROFILE", "FAULT"])
        func add(_ name: String, _ words: [String]) {
            for (index, fault) in words.enumerated() {
                table.add([index == 0 ? Catalog.shortSpelling(of: name) : "", fault])
            }
        }
        func add(_ profile: Profile) { add(profile.name, profile.brokenWords) }
        for listed in listing where listed.loaded.isBuiltIn { add(listed.loaded.profile) }
        for scenario in scenarios { add(scenario.scenario.name, scenario.changeWords) }
        for (origin, profiles) in ProfileListing.byOrigin(listing.filter { !$0.loaded.isBuiltIn }) {
            table.add(line: "")
            table.add(line: origin)
            for listed in profiles { add(listed.loaded.profile) }
        }
        return table.lines(width: TerminalSize.outputColumns)
    }

    /// The user's own profiles.
    static func lines(ofOwn profiles: [ListedProfile]) -> [OutputLine] {
        var table = Table(header: ["PROFILE"] + figures + ["LIKE"])
        for listed in profiles { add(listed, to: &table) }
        return table.lines(width: TerminalSize.outputColumns)
    }

    private static func add(_ listed: ListedProfile, to table: inout Table) {
        table.add(cells(listed) + [listed.loaded.likeness])
        if let others = others(listed) { table.add(line: others) }
    }

    private static func cells(_ listed: ListedProfile, indent: String = "") -> [String] {
        let figures = ProfileFigures(listed.loaded.profile)
        let name = indent + Catalog.shortSpelling(of: listed.loaded.profile.name)
        return [name, figures.rate, figures.delay, figures.loss]
    }

    private static func others(_ listed: ListedProfile) -> String? {
        guard !listed.otherNames.isEmpty else { return nil }
        return "  also \(listed.otherNames.map(Catalog.shortSpelling).joined(separator: ", "))"
    }
}

extension LoadedScenario {
    /// Descriptions of the steps' changes to the network.
    var changeWords: [String] {
        scenario.steps.map { "\($0.changes.words.joined(separator: ", ")) after \($0.after.condition)" }
    }
}

extension LoadedProfile {
    /// A few words on the link.
    fileprivate var likeness: String {
        recommendation?.likeness ?? profile.summary ?? ProfileFigures(profile).others.joined(separator: ", ")
    }
}
