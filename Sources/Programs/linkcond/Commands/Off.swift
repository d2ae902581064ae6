// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning

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
            try namespace.refuseSandbox(interface)
            let conditioner = try namespace.conditioner("off")
            guard let rules = try conditioner.suspend(interface) else {
                return Console.note("nothing is conditioned")
            }
            let resumption = "\"linkcond on\(namespace.words)\" resumes it"
            for rule in rules {
                Console.note("suspended \"\(rule.profile)\" on \(rule.interface); \(resumption)")
            }
        }
    }
}
