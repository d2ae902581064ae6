// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles

extension Linkcond {
    /// `linkcond doctor`
    struct Doctor: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "doctor",
            abstract: "Say what this machine can do, what is missing, and what to type to get it."
        )

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func run() throws {
            let findings = Examination.run()
            if json {
                Console.data(findings.json.text)
            } else {
                findings.lines.forEach(Console.data)
            }
            if !findings.canUseNetem { throw ExitCode(Failure.Status.unavailable.rawValue) }
        }
    }
}
