// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog

/// Lists of profiles for people, with the names in the spelling that needs no quotes.
enum ProfileTable {
    private static let figures = ["RATE DOWN/UP", "DELAY", "LOSS"]

    /// The profiles, with a few words on each.
    static func lines(_ profiles: [ListedProfile]) -> [OutputLine] {
        var table = Table(header: ["PROFILE"] + figures + ["LIKE"])
        for listed in profiles {
            table.add(cells(listed, listed.loaded.likeness))
            if let others = others(listed) { table.add(line: others) }
        }
        return table.lines(width: TerminalSize.outputColumns)
    }

    /// All profiles, below the names of their origins. Broken networks have words in place of figures.
    static func lines(byOrigin groups: [(origin: String, profiles: [ListedProfile])]) -> [OutputLine] {
        var table = Table(header: ["PROFILE"] + figures + ["ALSO"])
        for (origin, profiles) in groups {
            if origin != groups.first?.origin { table.add(line: "") }
            table.add(line: origin)
            for listed in profiles {
                let figures = ProfileFigures(listed.loaded.profile)
                if figures.isEmpty, !listed.loaded.profile.brokenWords.isEmpty {
                    let name = Catalog.shortSpelling(of: listed.loaded.profile.name)
                    table.add(line: "  \(name): \(listed.loaded.profile.brokenWords.joined(separator: "; "))")
                } else {
                    table.add(cells(listed, figures.others.joined(separator: ", "), indent: "  "))
                }
                if let others = others(listed) { table.add(line: "  \(others)") }
            }
        }
        return table.lines(width: TerminalSize.outputColumns)
    }

    private static func cells(_ listed: ListedProfile, _ words: String, indent: String = "") -> [String] {
        let figures = ProfileFigures(listed.loaded.profile)
        let name = indent + Catalog.shortSpelling(of: listed.loaded.profile.name)
        return [name, figures.rate, figures.delay, figures.loss, words]
    }

    private static func others(_ listed: ListedProfile) -> String? {
        guard !listed.otherNames.isEmpty else { return nil }
        return "  also \(listed.otherNames.map(Catalog.shortSpelling).joined(separator: ", "))"
    }
}

extension LoadedProfile {
    /// A few words on what the link is like, and the file of a profile that is not built in.
    fileprivate var likeness: String {
        let words = recommendation?.likeness ?? profile.summary
        let others = recommendation == nil && words == nil ? ProfileFigures(profile).others : []
        let place = isBuiltIn ? [] : ["(\(origin))"]
        return ([words].compactMap { $0 } + others + place).joined(separator: " ")
    }
}
