// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
package import LinkConditioning
internal import LinkProfiles
package import ProfileCatalog
package import Reports
package import Sandboxing

/// The conditions of one run of a matrix.
package struct MatrixCell {
    /// The name, and that of the directory, without characters that are special to shells: "slow-net".
    package let network: TrialList.Network
    package let conditions: RunConditions
    package private(set) var expectations: [ClientExpectation] = []
    /// The words that select the conditions, as a user types them after `run`.
    package let words: [String]

    /// The mistakes in all words, for which no matrix can be made.
    package struct Mistakes: Error { package let errors: [any Error] }

    /// A mistake in one word, apart from mistakes in the file that the word names.
    package enum Mistake: Error {
        /// Standard input can be read only once, and trials do not read it.
        case standardInput
        case repeatedName(String)
    }

    /// Makes a cell from each word, which names a profile, a scenario or a file with one of them.
    ///
    /// - Parameters:
    ///   - observe: called with the profiles of each cell.
    ///   - makeRequest: makes a request from a profile, without a seed.
    package static func all(
        _ words: [String],
        in catalog: Catalog,
        observe: ([LoadedProfile]) -> Void,
        makeRequest: (LoadedProfile) throws -> RuleRequest
    ) throws(Mistakes) -> [MatrixCell] {
        var cells: [MatrixCell] = []
        var errors: [any Error] = []
        for word in words {
            do {
                guard word != "-" else { throw Mistake.standardInput }
                let (cell, profiles) = try read(word, catalog, unlike: cells.map(\.network.directory), makeRequest)
                observe(profiles)
                let name = cell.network.name
                guard !cells.contains(where: { Profile.normalized($0.network.name) == Profile.normalized(name) }) else {
                    throw Mistake.repeatedName(name)
                }
                cells.append(cell)
            } catch {
                errors.append(error)
            }
        }
        guard errors.isEmpty else { throw Mistakes(errors: errors) }
        return cells
    }

    private static func read(
        _ word: String,
        _ catalog: Catalog,
        unlike taken: [String],
        _ makeRequest: (LoadedProfile) throws -> RuleRequest
    ) throws -> (MatrixCell, [LoadedProfile]) {
        if Catalog.isPath(word) || catalog.isScenario(word), case .scenario(let loaded) = try catalog.load(word) {
            let (scenario, profiles) = (loaded.scenario, loaded.profiles)
            let directory = directory(scenario.name, unlike: taken)
            let network = try TrialList.Network(scenario.name, directory: directory, profiles, [scenario.json.line])
            let conditions = try RunConditions(loaded, makeRequest)
            var cell = MatrixCell(network: network, conditions: conditions, words: ["--scenario", word])
            cell.expectations = try loaded.expectations()
            return (cell, profiles)
        }
        let loaded = try catalog.profile(word)
        let name = loaded.profile.name
        let network = try TrialList.Network(name, directory: directory(name, unlike: taken), [loaded])
        let conditions = RunConditions(try makeRequest(loaded))
        return (MatrixCell(network: network, conditions: conditions, words: [word]), [loaded])
    }

    /// The name in lower case, with a dash for characters that shells or file systems treat specially; different from
    /// `taken`.
    package static func directory(_ name: String, unlike taken: [String]) -> String {
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
