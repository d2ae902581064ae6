// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import ProfileCatalog
import SandboxClient

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
            if let sandbox = namespace.sandbox(interface) { return try resume(sandbox) }
            let conditioner = try namespace.conditioner("on")
            let hasResumed = try conditioner.resume(
                interface,
                readRecordings: { try LoadedProfile(profile: $0, origin: .commandLine).recordings() },
                report: { Console.note("resumed \"\($0.profile)\" on \($0.interface)") }
            )
            if !hasResumed { Console.note("nothing is suspended\(interface.map { " on \($0)" } ?? "")") }
        }

        private func resume(_ sandbox: ControlClient) throws {
            let profiles = try sandbox.on()
            guard !profiles.isEmpty else { return Console.note("nothing is suspended") }
            for profile in profiles { Console.note("resumed \"\(profile)\" in this sandbox") }
        }
    }
}
