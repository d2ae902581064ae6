// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension CommandName {
    /// The groups of subcommands, in the order of the help.
    enum Group: String, CaseIterable {
        case test = "Test a client"
        case condition = "Condition an interface"
        case look = "Look"
        case profiles = "Profiles"

        /// The group's subcommands, each in one group only.
        var commands: [CommandName] {
            switch self {
            case .test: [.run, .matrix, .merge, .limits, .explore, .mark, .judge]
            case .condition: [.apply, .status, .switch, .reset, .containers, .off, .on, .confirm]
            case .look: [.pane, .monitor, .capture, .verify, .simulate, .doctor, .reflect]
            case .profiles: [.list, .show, .new, .edit, .remove, .validate, .import, .export]
            }
        }

        /// The subcommands that the short list only names, with the word before them.
        fileprivate var others: (word: String, commands: [CommandName])? {
            switch self {
            case .test: ("inside", [.mark, .judge, .switch])
            case .condition: ("also", [.off, .on, .confirm])
            case .look, .profiles: nil
            }
        }
    }

    /// What `linkcond` prints alone: the subcommands that a user needs first.
    static var shortList: String {
        let groups = Group.allCases.map { group in
            let others = group.others
            let listed = group.commands.filter { name in
                !(others?.commands ?? []).contains(name)
            }
            let lines = listed.map { line($0.rawValue, $0.type.configuration.abstract) }
            let rest = others.map { [line("\($0.word):", $0.commands.map(\.rawValue).joined(separator: ", "))] } ?? []
            return (["\(group.rawValue):"] + lines + rest).joined(separator: "\n")
        }
        let topics = HelpTopic.allCases.map(\.rawValue).joined(separator: ", ")
        return """
            linkcond: \(Linkcond.configuration.abstract)

              linkcond run slow-net -- curl https://example.org

            \(groups.joined(separator: "\n\n"))

            Options and examples: linkcond COMMAND -h
            Topics: linkcond help \(topics)
            """
    }

    private static func line(_ name: String, _ text: String) -> String {
        "  " + name + String(repeating: " ", count: max(1, 12 - name.count)) + text
    }
}
