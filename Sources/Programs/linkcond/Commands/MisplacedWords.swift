// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import ProfileCatalog
import Reports

/// Arguments that the parser refuses and whose meaning is clear: a profile's name in several words, as in
/// `run Slow Net -- COMMAND`, and an interface without "-i", as in `apply 3G eth0`.
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
        let (joined, name) = Self.joiningNames(words, catalog)
        let candidates = [joined] + Self.namingInterfaces(joined, interfaces())
        guard let meant = candidates.first(where: { $0 != words && isMeant($0) }) else { return nil }
        var problems: [String] = []
        if let name { problems.append("\"\(name)\" is one name: write it with dashes, or quote it") }
        if meant != joined { problems.append("an interface is given with -i") }
        problem = problems.joined(separator: "; ")
        remedy = UnmarkedCommand.line([type.configuration.commandName ?? ""] + meant + command)
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

    /// The command lines with "-i" before one of the words that name an interface.
    private static func namingInterfaces(_ words: [String], _ interfaces: [String]) -> [[String]] {
        words.indices.reversed().filter { interfaces.contains(words[$0]) }.map { index in
            words[..<index] + ["-i"] + words[index...]
        }
    }
}
