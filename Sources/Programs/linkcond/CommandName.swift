// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The subcommands, in the order of the help.
enum CommandName: String, CaseIterable {
    case run, matrix, merge, limits, explore, mark, judge
    case apply, status, `switch`, reset, containers, off, on, confirm
    case pane, monitor, capture, verify, simulate, doctor, reflect
    case list, show, new, edit, remove, validate, `import`, export

    /// The subcommand's type. A switch and not a dictionary, which would initialize the types of all commands.
    var type: any ParsableCommand.Type {
        switch self {
        case .run: Linkcond.Run.self
        case .matrix: Linkcond.Matrix.self
        case .merge: Linkcond.Merge.self
        case .limits: Linkcond.Limits.self
        case .explore: Linkcond.Explore.self
        case .mark: Linkcond.Mark.self
        case .judge: Linkcond.Judge.self
        case .apply: Linkcond.Apply.self
        case .status: Linkcond.Status.self
        case .switch: Linkcond.Switch.self
        case .reset: Linkcond.Reset.self
        case .containers: Linkcond.Containers.self
        case .off: Linkcond.Off.self
        case .on: Linkcond.On.self
        case .confirm: Linkcond.Confirm.self
        case .pane: Linkcond.Pane.self
        case .monitor: Linkcond.Monitor.self
        case .capture: Linkcond.Capture.self
        case .verify: Linkcond.Verify.self
        case .simulate: Linkcond.Simulate.self
        case .doctor: Linkcond.Doctor.self
        case .reflect: Linkcond.Reflect.self
        case .list: Linkcond.List.self
        case .show: Linkcond.Show.self
        case .new: Linkcond.New.self
        case .edit: Linkcond.Edit.self
        case .remove: Linkcond.Remove.self
        case .validate: Linkcond.Validate.self
        case .import: Linkcond.Import.self
        case .export: Linkcond.Export.self
        }
    }

    /// Whether the subcommand runs another command, and exits with that command's status. Its own failures need a
    /// distinct status: 125, as in timeout(1) and env(1).
    var isWrapper: Bool { [.run, .matrix, .limits].contains(self) }

    /// Whether the subcommand runs another command: signals then keep their dispositions, and "--" must precede the
    /// command.
    var runsCommand: Bool { isWrapper || self == .explore }
}

extension CommandConfiguration {
    /// Describes a subcommand. Each is parsed without the root command, so the program's name for its usage line is set
    /// here.
    ///
    /// - Parameter examples: what follows "linkcond" on command lines.
    init(
        _ name: CommandName,
        abstract: String,
        usage: String? = nil,
        discussion: String = "",
        examples: String...
    ) {
        let lines = examples.map { "\n  linkcond \($0)" }.joined()
        self.init(
            commandName: name.rawValue,
            _superCommandName: "linkcond",
            abstract: abstract,
            usage: usage,
            discussion: discussion + (discussion.isEmpty ? "" : "\n\n") + HelpText.examplesTitle + lines
        )
    }
}
