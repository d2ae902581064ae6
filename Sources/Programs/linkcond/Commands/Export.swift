// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import ProfileCatalog
import ProfileFormats

extension Linkcond {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            .export,
            abstract: "Print a profile in the words of another tool.",
            discussion: "What the other tool cannot say is told on standard error.",
            examples: "export 3g --to toxiproxy",
            "export 3g --to tc -i eth0"
        )

        enum Format: String, CaseIterable, ExpressibleByArgument {
            /// The commands that `show --tc` prints.
            case tc
            case chaosMesh = "chaos-mesh"
            case pumba
            case toxiproxy
            case devtools
        }

        @OptionGroup var profileOptions: ProfileOptions

        @Option(
            name: .customLong("to"),
            help: ArgumentHelp("The format: tc, chaos-mesh, pumba, toxiproxy or devtools.", valueName: "FORMAT")
        )
        var format: Format

        @Option(name: .interface, help: ArgumentHelp("The interface, for --to tc.", valueName: "DEV"))
        var interface: String?

        @OptionGroup(title: "Interface") var facing: FacingOptions
        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        mutating func validate() throws {
            guard format != .tc || interface != nil else {
                throw ValidationError("--to tc needs an interface: -i DEV.")
            }
            guard format == .tc || interface == nil else { throw ValidationError("-i is for --to tc.") }
            guard format == .tc || facing.facing == .host else {
                throw ValidationError("--facing is for --to tc: the other formats name the machine whose link it is.")
            }
        }

        func run() throws {
            let loaded = try profileOptions.load()
            if let interface {
                var request = try loaded.request(seed: nil)
                request.facing = facing.facing
                return try namespace.conditioner("export").printCommands(request, on: interface, isVerbose: true)
            }
            guard let format = ExportFormat(rawValue: format.rawValue) else { return }
            let exported = ExportedProfile(loaded.profile, as: format)
            Console.text(exported.text)
            for remark in exported.remarks { Console.failure("note: \(remark)") }
        }
    }
}
