// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import ProfileCatalog
import Reports

/// Arguments that the parser refuses and whose meaning is clear: a profile's name in several words, as in
/// `run Slow Net -- COMMAND`, an interface without "-i", as in `apply 3G eth0`, "-p" before a profile, which `matrix`
/// has, and several profiles of `run`, which are a matrix.
struct MisplacedWords {
    let problem: String
    /// The command line that was meant.
    let remedy: String

    /// - Parameters:
    ///   - type: the subcommand, whose parser has refused `arguments`.
    ///   - interfaces: the names of the interfaces.
    init?(
        _ type: any ParsableCommand.Type,
        _ arguments: [String],
        _ catalog: Catalog = CatalogOptions.catalog(),
        interfaces: @autoclosure () -> [String] = InterfaceNames.all
    ) {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let (words, command) = (Array(arguments[..<end]), Array(arguments[end...]))
        guard words.count > 1 || words.first.map({ !$0.hasPrefix("-") }) == true, words.count <= Self.limit else {
            return nil
        }
        func isMeant(_ words: [String]) -> Bool {
            (try? type.parseAsRoot(words + command)).map { Swift.type(of: $0) == type } ?? false
        }
        let plain = Self.droppingProfileOption(words)
        let (joined, name) = Self.joiningNames(plain, catalog)
        let candidates = [joined] + Self.namingInterfaces(joined, interfaces())
        var problems: [String] = []
        if let meant = candidates.first(where: { $0 != words && isMeant($0) }) {
            if plain != words { problems.append("a profile is given without -p") }
            if let name { problems.append("\"\(name)\" is one name: write it with dashes, or quote it") }
            if meant != joined { problems.append("an interface is given with -i") }
            remedy = UnmarkedCommand.line([type.configuration.commandName ?? ""] + meant + command)
        } else if type == Linkcond.Run.self,
            let matrix = try? Linkcond.Matrix.parseAsRoot(joined + command) as? Linkcond.Matrix,
            matrix.profiles.count > 1,
            matrix.profiles.allSatisfy({ Catalog.isPath($0) || catalog.name(ofWords: $0) != nil })
        {
            problems = ["run has one profile, matrix several"]
            remedy = UnmarkedCommand.line(["matrix"] + joined + command)
        } else {
            return nil
        }
        problem = problems.joined(separator: "; ")
    }

    private static let limit = 30
    /// The largest number of words in a name that is looked for.
    private static let longestName = 6

    /// Replaces words that together are the name of a profile or a scenario by its short spelling; returns also the
    /// last such name.
    private static func joiningNames(_ words: [String], _ catalog: Catalog) -> (words: [String], name: String?) {
        var (result, found): ([String], String?) = ([], nil)
        var index = words.startIndex
        while index < words.endIndex {
            let plain = words[index...].prefix { !$0.hasPrefix("-") }.prefix(longestName)
            let counts = plain.count < 2 ? [] : (2...plain.count).reversed()
            let match = counts.lazy.compactMap { count in
                catalog.name(ofWords: plain.prefix(count).joined(separator: " ")).map { (count: count, name: $0) }
            }.first
            result.append(match.map { Catalog.shortSpelling(of: $0.name) } ?? words[index])
            found = match?.name ?? found
            index += match?.count ?? 1
        }
        return (result, found)
    }

    /// The words without "-p" and "--profile" before a word.
    private static func droppingProfileOption(_ words: [String]) -> [String] {
        words.indices.filter { index in
            let next = index + 1 < words.endIndex ? words[index + 1] : "-"
            return next.hasPrefix("-") || !["-p", "--profile"].contains(words[index])
        }.map { index in
            let word = words[index]
            return word.hasPrefix("--profile=") ? String(word.dropFirst("--profile=".count)) : word
        }
    }

    /// The command lines with "-i" before one of the words that name an interface.
    private static func namingInterfaces(_ words: [String], _ interfaces: [String]) -> [[String]] {
        words.indices.reversed().filter { interfaces.contains(words[$0]) }.map { index in
            words[..<index] + ["-i"] + words[index...]
        }
    }
}
