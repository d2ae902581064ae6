// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import ProfileCatalog
import Reports

extension Linkcond {
    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            .new,
            abstract: "Make a profile of your own.",
            examples: "new train --from 3g --loss 5%",
            "new office --rate '20 Mbit/s' --delay '10 ms'"
        )

        @Argument(help: ArgumentHelp("The new profile's name.", valueName: "NAME"))
        var name: String

        @Option(
            name: .customLong("from"),
            help: ArgumentHelp(
                "The profile to copy: a name, a path, or \"-\" for standard input.",
                valueName: "PROFILE"
            )
        )
        var base: String?

        @OptionGroup(title: "Link") var figures: FigureOptions
        @OptionGroup(title: "Rare") var catalogOptions: CatalogOptions

        mutating func validate() throws {
            guard base != nil || figures.isGiven else {
                throw ValidationError("Missing --from PROFILE, or figures: \(FigureOptions.names).")
            }
        }

        func run() throws {
            let own = try OwnProfiles(extra: catalogOptions.profilePath)
            var profile = Profile(name: name)
            if let base {
                // The copy needs absolute paths of recordings: relative ones start from the directory of the original
                // file.
                let loaded = try catalogOptions.profile(base).withAbsolutePaths
                profile = loaded.profile
                profile.name = name
                if figures.isGiven { profile.becomeVariant(of: loaded.profile) }
            }
            profile = try figures.overriding(profile)
            let file = try own.add(profile)
            Console.note("made \"\(name)\": \(file); \"linkcond edit \(name.shellWord)\" changes it")
            own.noteHidden(profile, in: file)
        }
    }
}

extension Profile {
    /// Sets the summary and source of a copy with other figures, since the original's texts do not apply to it.
    fileprivate mutating func becomeVariant(of original: Profile) {
        summary = "\(original.name), with other figures"
        source = "\(original.name), changed" + (original.source.map { ": \($0)" } ?? "")
    }
}
