// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import SandboxClient

extension Linkcond {
    struct Off: ParsableCommand {
        static let configuration = CommandConfiguration(
            .off,
            abstract: "Suspend all conditions until \"on\".",
            examples: "off"
        )

        @Option(name: .interface, help: ArgumentHelp("Only this interface.", valueName: "DEV"))
        var interface: String?

        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        func run() throws {
            if let sandbox = namespace.sandbox(interface) { return try suspend(sandbox) }
            let conditioner = try namespace.conditioner("off")
            guard let rules = try conditioner.suspend(interface) else {
                return Console.note("nothing is conditioned")
            }
            let resumption = "\"linkcond on\(namespace.words)\" resumes it"
            for rule in rules {
                Console.note("suspended \"\(rule.profile)\" on \(rule.interface); \(resumption)")
            }
        }

        private func suspend(_ sandbox: ControlClient) throws {
            let profiles = try sandbox.off()
            guard !profiles.isEmpty else { return Console.note("nothing is conditioned") }
            for profile in profiles {
                Console.note("suspended \"\(profile)\" in this sandbox; \"linkcond on\" resumes it")
            }
        }
    }
}
