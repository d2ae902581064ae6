// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The subcommands, in the order of the help.
enum CommandName: String, CaseIterable {
    case list, show, new, edit, remove, validate, `import`, export, apply, confirm, run, `switch`, mark
    case judge, matrix, limits, explore, verify, reflect, simulate, status, off, on, reset, monitor, containers,
        capture, doctor

    /// The subcommand's type. A switch and not a dictionary, which would initialize the types of all commands.
    var type: any ParsableCommand.Type {
        switch self {
        case .list: Linkcond.List.self
        case .show: Linkcond.Show.self
        case .new: Linkcond.New.self
        case .edit: Linkcond.Edit.self
        case .remove: Linkcond.Remove.self
        case .validate: Linkcond.Validate.self
        case .import: Linkcond.Import.self
        case .export: Linkcond.Export.self
        case .apply: Linkcond.Apply.self
        case .confirm: Linkcond.Confirm.self
        case .run: Linkcond.Run.self
        case .switch: Linkcond.Switch.self
        case .mark: Linkcond.Mark.self
        case .judge: Linkcond.Judge.self
        case .matrix: Linkcond.Matrix.self
        case .limits: Linkcond.Limits.self
        case .explore: Linkcond.Explore.self
        case .verify: Linkcond.Verify.self
        case .reflect: Linkcond.Reflect.self
        case .simulate: Linkcond.Simulate.self
        case .status: Linkcond.Status.self
        case .off: Linkcond.Off.self
        case .on: Linkcond.On.self
        case .reset: Linkcond.Reset.self
        case .monitor: Linkcond.Monitor.self
        case .containers: Linkcond.Containers.self
        case .capture: Linkcond.Capture.self
        case .doctor: Linkcond.Doctor.self
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
    init(_ name: CommandName, abstract: String, usage: String? = nil, discussion: String = "") {
        self.init(
            commandName: name.rawValue,
            _superCommandName: "linkcond",
            abstract: abstract,
            usage: usage,
            discussion: discussion
        )
    }
}
