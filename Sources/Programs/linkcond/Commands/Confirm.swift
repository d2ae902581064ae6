// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning

extension Linkcond {
    struct Confirm: ParsableCommand {
        static let configuration = CommandConfiguration(
            .confirm,
            abstract: "Keep the conditions that \"apply --confirm\" would remove.",
            examples: "confirm",
            "confirm -i eth0"
        )

        @Option(name: .interface, help: ArgumentHelp("Only this interface.", valueName: "DEV"))
        var interface: String?

        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        func run() throws {
            let conditioner = try namespace.conditioner("confirm")
            let kept = try conditioner.confirm(interface)
            guard !kept.isEmpty else {
                let scope = interface.map { " on \($0)" } ?? ""
                throw Failure(.notFound, "nothing to confirm\(scope)", remedy: "linkcond status\(namespace.words)")
            }
            for rule in kept { Console.note("\(rule.interface) keeps \"\(rule.profile)\"") }
        }
    }
}
