// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import ProfileCatalog
import Trials

extension Linkcond {
    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            .validate,
            abstract: "Check files of profiles, scenarios, rules and populations.",
            examples: "validate train.json lift.json",
            "validate *.json"
        )

        @Argument(help: ArgumentHelp("Files to check; \"-\" is standard input.", valueName: "FILE"))
        var files: [String]

        @OptionGroup(title: "Rare") var catalogOptions: CatalogOptions

        func run() throws {
            var status: Failure.Status?
            var fileOfName: [String: String] = [:]
            for file in files {
                do {
                    let loaded: LoadedProfile
                    switch try catalogOptions.catalog.load(file) {
                    case .profile(let profile): loaded = profile
                    case .scenario(let scenario):
                        for profile in scenario.profiles { _ = try profile.traces() }
                        Console.data("\(file): \(scenario.scenario.name) (scenario)")
                        continue
                    case .rules(let rules):
                        for (_, profile) in rules.rules { _ = try profile.traces() }
                        Console.data("\(file): \(counted(rules.rules.count, "rule"))")
                        continue
                    case .population(let population):
                        for profile in population.profiles { _ = try profile.traces() }
                        Console.data("\(file): \(population.population.name) (population)")
                        continue
                    }
                    _ = try loaded.traces()
                    let name = loaded.profile.name
                    if let other = fileOfName.updateValue(file, forKey: Profile.normalized(name)) {
                        Console.failure("\(file): the name \"\(name)\" is taken by \(other)")
                        status = .badProfile
                    } else {
                        Console.data("\(file): \(name)")
                    }
                } catch {
                    let failure = Failure(error)
                    var remedy = failure.remedy
                    // Only files are validated: a list of names would not help.
                    if case .unreadable = error { remedy = "linkcond validate *.json" }
                    Console.failure(String(failure.problem, try: remedy))
                    // For the exit status, an invalid profile takes precedence over a missing file.
                    status = status == .badProfile ? status : failure.status
                }
            }
            if let status { throw ExitCode(status.rawValue) }
        }
    }
}
