// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    /// `linkcond validate FILE...`
    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "validate",
            _superCommandName: "linkcond",
            abstract: "Check profile files; report every mistake of every file."
        )

        @Argument(help: "Files to check; \"-\" is standard input.")
        var files: [String]

        func run() throws {
            var status: Failure.Status?
            var fileOfName: [String: String] = [:]
            for file in files {
                do {
                    let loaded = try LoadedProfile.read(path: file)
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
                    Console.failure(failure.message)
                    // An invalid profile takes precedence over a missing file.
                    status = status == .badProfile ? status : failure.status
                }
            }
            if let status { throw ExitCode(status.rawValue) }
        }
    }
}
