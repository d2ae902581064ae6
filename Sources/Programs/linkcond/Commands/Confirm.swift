// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning

extension Linkcond {
    struct Confirm: ParsableCommand {
        static let configuration = CommandConfiguration(
            .confirm,
            abstract: "Keep what \"apply --confirm\" would otherwise undo."
        )

        @Option(name: .interface, help: "Only this interface.")
        var interface: String?

        @OptionGroup var namespace: NamespaceOptions

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
