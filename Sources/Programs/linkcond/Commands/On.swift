// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import ProfileCatalog

extension Linkcond {
    struct On: ParsableCommand {
        static let configuration = CommandConfiguration(
            .on,
            abstract: "Resume the conditions that \"off\" suspended.",
            examples: "on"
        )

        @Option(name: .interface, help: ArgumentHelp("Only this interface.", valueName: "DEV"))
        var interface: String?

        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        func run() throws {
            try namespace.refuseSandbox(interface)
            let conditioner = try namespace.conditioner("on")
            let hasResumed = try conditioner.resume(
                interface,
                readRecordings: { try LoadedProfile(profile: $0, origin: .commandLine).recordings() },
                report: { Console.note("resumed \"\($0.profile)\" on \($0.interface)") }
            )
            if !hasResumed { Console.note("nothing is suspended\(interface.map { " on \($0)" } ?? "")") }
        }
    }
}
