// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import LinkProfiles
import ProfileCatalog
import Sandboxing
import Trials

/// The conditions of one run of a matrix.
struct MatrixCell {
    let name: String
    /// The name of its directory, for shells: "slow-net".
    let directory: String
    let conditions: RunConditions
    var expectations: [ClientExpectation] = []
    /// What selects the conditions, as a user types it after `run`.
    let words: [String]

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
                let cell = try MatrixCell(word, catalog, options, unlike: cells.map(\.directory))
                guard !cells.contains(where: { Profile.normalized($0.name) == Profile.normalized(cell.name) }) else {
                    throw Failure(.usage, "\"\(cell.name)\" is given twice")
                }
                cells.append(cell)
            } catch {
                failures.append(Failure(error))
            }
        }
        guard let first = failures.first else { return cells }
        // The same advice once.
        let remedies = Set(failures.compactMap(\.remedy)).sorted().joined(separator: "\ntry: ")
        throw Failure(
            first.status,
            failures.map(\.problem).joined(separator: "\n"),
            remedy: remedies.isEmpty ? nil : remedies
        )
    }

    private init(_ word: String, _ catalog: Catalog, _ options: CatalogOptions, unlike taken: [String]) throws {
        if Catalog.isPath(word) || options.isScenario(word), case .scenario(let loaded) = try options.file(word) {
            conditions = try RunConditions(loaded) { try $0.request(seed: nil) }
            (name, expectations) = (loaded.scenario.name, try loaded.expectations())
            words = ["--scenario", word]
            LoadedProfile.note(loaded.profiles)
        } else {
            let loaded = try catalog.profile(word)
            conditions = RunConditions(try loaded.request(seed: nil))
            (name, words) = (loaded.profile.name, [word])
            LoadedProfile.note([loaded])
        }
        directory = Self.directory(name, unlike: taken)
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
