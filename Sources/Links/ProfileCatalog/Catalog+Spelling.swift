// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension Catalog {
    /// A profile's name in small letters, with dashes in place of spaces, so that a shell needs no quotes: "slow-net".
    public static func shortSpelling(of name: String) -> String {
        let words = name.lowercased().split { !($0.isLetter || $0.isNumber || ".+%-".contains($0)) }
        let short = words.joined(separator: "-")
        return Profile.normalized(short) == Profile.normalized(name) ? short : name
    }

    /// The name of the profile or the scenario that `words` name; nil if there is none, or its file is invalid.
    package func name(ofWords words: String) -> String? {
        (try? profile(words))?.profile.name ?? builtInScenario(words)?.name
    }

    /// The name of the profile that `word` probably means: one that is spelt like it, begins with it, or has it as
    /// another name ("offline" for "Black Hole"); nil if there is none.
    func nearestName(to word: String) -> String? {
        let (names, start) = (names(), Profile.normalized(word))
        if let nearest = Spelling.nearest(to: word, among: names) { return nearest }
        guard start.count > 1 else { return nil }
        let candidates = Recommendation.all.map(\.name).filter(names.contains) + names
        func first(startingWith key: String) -> String? { candidates.first { Profile.normalized($0).hasPrefix(key) } }
        return first(startingWith: start)
            ?? ProfileSearch.synonyms[start]?.lazy.compactMap { first(startingWith: Profile.normalized($0)) }.first
    }
}
