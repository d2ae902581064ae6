// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import Netlink

extension Linkcond {
    /// `linkcond off`
    struct Off: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "off",
            _superCommandName: "linkcond",
            abstract: "Suspend all conditions until \"on\"."
        )

        @Option(name: [.customShort("i"), .customLong("interface")], help: "Only this interface.")
        var interface: String?

        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            try namespace.refuseSandbox(interface)
            let conditioner = try namespace.conditioner("off")
            guard let rules = try Failure.catching({ try conditioner.suspend(interface) }) else {
                return Console.note("nothing is conditioned")
            }
            for rule in rules {
                Console.note("suspended \"\(rule.profile)\" on \(rule.interface); \"linkcond on\" resumes it")
            }
        }
    }
}
