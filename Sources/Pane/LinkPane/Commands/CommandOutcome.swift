// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import LinuxSystem
internal import Reports

/// The outcome of a command of linkcond, read from its exit status and its messages.
package struct CommandOutcome: Hashable, Sendable {
    /// The words after "linkcond".
    package var arguments: [String]
    package var end: End
    /// The notes and messages of a command that goes on.
    package private(set) var notes: [String] = []
    /// The reason of the failure, which may have several lines; empty after success.
    package private(set) var problem = ""
    /// What to type instead; nil if the command does not say.
    package private(set) var remedy: String?
    /// The lines of standard output.
    package private(set) var lines: [String]

    /// The end of a command.
    package enum End: Hashable, Sendable {
        case exited(CInt)
        case killed(CInt)
        /// The command was killed, since it took longer than this.
        case late(Duration)

        package init(_ status: ChildStatus?) {
            switch status {
            case .exited(let status): self = .exited(status)
            case .killed(let signal): self = .killed(signal)
            case .stopped, .continued, nil: self = .killed(0)
            }
        }
    }

    /// Reads the messages of a command.
    package init(_ arguments: [String], _ end: End, output: String, errors: String) {
        (self.arguments, self.end) = (arguments, end)
        lines = output.split(separator: "\n").map(String.init)
        for line in errors.split(separator: "\n") { add(message: line) }
        if !hasSucceeded, problem.isEmpty { problem = end.words(of: arguments.first ?? "") }
    }

    package var hasSucceeded: Bool { end == .exited(0) }

    /// The command as one types it.
    package var line: String { Self.line(arguments) }

    package static func line(_ arguments: [String]) -> String { (["linkcond"] + arguments).shellLine }

    /// Adds a line of standard error: "linkcond: " begins the lines of notes ("note: "), remedies ("try: ") and errors.
    private mutating func add(message: Substring) {
        guard let text = message.dropping("linkcond: ") else { return notes.append(String(message)) }
        if let note = text.dropping("note: ") {
            notes.append(String(note))
        } else if let remedy = text.dropping("try: ") {
            // Before the reason of a failure, and after success, a remedy is that of the note before it.
            if hasSucceeded || problem.isEmpty, let note = notes.popLast() {
                notes.append("\(note); try: \(remedy)")
            } else {
                self.remedy = [self.remedy, String(remedy)].compactMap { $0 }.joined(separator: "\n")
            }
        } else if hasSucceeded {
            notes.append(String(text))
        } else {
            problem += problem.isEmpty ? "\(text)" : "\n\(text)"
        }
    }
}

extension CommandOutcome.End {
    /// The reason of a failure without a message.
    fileprivate func words(of command: String) -> String {
        switch self {
        case .exited(127): "linkcond cannot be started"
        case .exited(let status): "linkcond \(command) ended with status \(status)"
        case .killed(let signal): "linkcond \(command) was ended by signal \(signal)"
        case .late(let limit): "linkcond \(command) was ended, since it took longer than \(limit.words)"
        }
    }
}

extension Substring {
    /// The text after this beginning; nil if it begins otherwise.
    fileprivate func dropping(_ beginning: String) -> Substring? {
        hasPrefix(beginning) ? dropFirst(beginning.count) : nil
    }
}
