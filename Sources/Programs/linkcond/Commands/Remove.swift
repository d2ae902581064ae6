// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles
import LinuxSystem
import ProfileCatalog

extension Linkcond {
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            .remove,
            abstract: "Delete a profile of your own.",
            examples: "remove train"
        )

        @Argument(help: ArgumentHelp("The profile's name.", valueName: "PROFILE"))
        var name: String

        func run() throws {
            let own = try OwnProfiles()
            let file = try own.file(name, to: "remove")
            // If the file is invalid, its profile's name cannot be read, so the given name is used.
            let name = (try? own.own.profile(name).profile.name) ?? name
            let draft = try ProfileDraft(of: file)
            try SmallFile.remove(file)
            try draft.remove()
            Console.note("removed \"\(name)\": \(file)")
            guard let other = try? own.all.profile(name) else { return }
            let what = other.origin == .builtIn ? "the built-in profile again" : "\(other.origin) now"
            Console.failure("note: \"\(other.profile.name)\" is \(what)")
        }
    }
}
