// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import ProfileCatalog

extension Linkcond {
    struct Edit: ParsableCommand {
        static let configuration = CommandConfiguration(
            .edit,
            abstract: "Edit a profile of your own.",
            discussion: """
                Runs $VISUAL, else $EDITOR, else vi or nano. The profile is replaced when its new text is valid; until then the \
                text is in a draft beside it, with which the next \"edit\" goes on.
                """,
            examples: "edit train"
        )

        @Argument(help: ArgumentHelp("The profile's name.", valueName: "PROFILE"))
        var name: String

        func run() throws {
            let own = try OwnProfiles()
            let draft = try ProfileDraft(of: own.file(name, to: "edit"))
            let editor = try Editor.chosen()
            if try draft.begin() { Console.note("note: going on with the draft of an earlier edit: \(draft.path)") }
            do {
                try edit(draft, editor, own)
            } catch {
                if (try? draft.isChanged()) != false {
                    var failure = Failure(error)
                    failure.problem += "\nnothing is changed; your text is in \(draft.path)"
                    throw failure
                }
                try draft.remove()
                throw error
            }
        }

        private func edit(_ draft: ProfileDraft, _ editor: Editor, _ own: OwnProfiles) throws {
            while true {
                try editor.edit(draft.path)
                guard try draft.isChanged() else {
                    try draft.remove()
                    return Console.note("nothing is changed")
                }
                do {
                    let loaded = try LoadedProfile.read(path: draft.path)
                    _ = try loaded.traces()
                    try own.refuseTaken(loaded.profile.name, except: draft.file)
                    try draft.publish()
                    Console.note("changed \"\(loaded.profile.name)\": \(draft.file)")
                    return own.noteHidden(loaded.profile, in: draft.file)
                } catch {
                    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { throw error }
                    Console.failure(Failure(error).message)
                    Console.note("Edit it again? [Y/n]")
                    guard let answer = readLine(), ["", "y", "yes"].contains(answer.lowercased()) else {
                        throw Failure(.badProfile, "the text is not valid", remedy: "linkcond edit \(name)")
                    }
                }
            }
        }
    }
}
