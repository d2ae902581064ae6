// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog

/// The conditions of one run of a matrix.
struct MatrixCell {
    /// The profile's name.
    let name: String
    /// The name of its directory, for shells: "slow-net".
    let directory: String
    /// What selects the conditions, as arguments of `run`.
    let arguments: [String]

    /// Finds what the words name; throws all mistakes at once.
    static func all(_ words: [String], _ options: CatalogOptions) throws -> [MatrixCell] {
        var cells: [MatrixCell] = []
        var failures: [Failure] = []
        let catalog = options.catalog
        if words.contains(where: { !Catalog.isPath($0) }) { CatalogOptions.note(catalog) }
        for word in words {
            do {
                guard word != "-" else {
                    throw Failure(.usage, "a matrix cannot read a profile from standard input; give it a file")
                }
                let (name, arguments) = try conditions(word, catalog, options)
                guard !cells.contains(where: { Profile.normalized($0.name) == Profile.normalized(name) }) else {
                    throw Failure(.usage, "\"\(name)\" is given twice")
                }
                let directory = directory(name, unlike: cells.map(\.directory))
                cells.append(MatrixCell(name: name, directory: directory, arguments: arguments))
            } catch let failure as Failure {
                failures.append(failure)
            }
        }
        guard let first = failures.first else { return cells }
        throw Failure(first.status, Self.list(failures.map(\.message)))
    }

    /// The name of a profile or of a scenario, and what selects it for `run`.
    private static func conditions(
        _ word: String,
        _ catalog: Catalog,
        _ options: CatalogOptions
    ) throws -> (name: String, arguments: [String]) {
        if Catalog.isPath(word), case .scenario(let loaded) = try Failure.catching({ try options.file(word) }) {
            for profile in loaded.profiles { _ = try Failure.catching { try profile.recordings() } }
            return (loaded.scenario.name, ["--scenario", word])
        }
        let loaded = try Failure.catching { try catalog.profile(word) }
        _ = try Failure.catching { try loaded.recordings() }
        return (loaded.profile.name, [word])
    }

    /// The messages, the same advice once.
    private static func list(_ messages: [String]) -> String {
        let lines = messages.flatMap { $0.split(separator: "\n") }.map(String.init)
        let advice = lines.filter { $0.hasPrefix("try: ") }
        let rest = lines.filter { !$0.hasPrefix("try: ") }
        return (rest + Set(advice).sorted()).joined(separator: "\n")
    }

    /// The name in lower case, with a dash for what shells or file systems treat specially.
    static func directory(_ name: String, unlike taken: [String]) -> String {
        let parts = name.lowercased().split { !$0.isLetter && !$0.isNumber && !"._+".contains($0) }
        var base = parts.joined(separator: "-")
        if base.isEmpty || base.hasPrefix(".") { base = "profile-\(base)" }
        base = String(base.prefix(60))
        var candidate = base
        var number = 2
        while taken.contains(candidate) {
            candidate = "\(base)-\(number)"
            number += 1
        }
        return candidate
    }
}
