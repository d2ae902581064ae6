// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The user's editor.
struct Editor {
    /// The program and its arguments, as a shell command.
    private let words: String

    /// Selects $VISUAL, else $EDITOR, else vi or nano if installed.
    static func chosen() throws -> Editor {
        for variable in ["VISUAL", "EDITOR"] {
            if let words = getenv(variable).map({ String(cString: $0) }), !words.isEmpty { return Editor(words: words) }
        }
        guard let name = ["vi", "nano"].first(where: { Executable.path(of: $0) != nil }) else {
            throw Failure(
                .unavailable,
                "there is no editor: neither vi nor nano",
                remedy: "EDITOR=PROGRAM linkcond edit ..."
            )
        }
        return Editor(words: name)
    }

    /// Runs the editor on the file at `path`, and waits until it exits.
    func edit(_ path: String) throws {
        // As in system(3), SIGINT and SIGQUIT from the terminal are for the editor only.
        let keys = [SIGINT, SIGQUIT]
        let handlers = keys.map { signal($0, SIG_IGN) }
        defer { for (key, handler) in zip(keys, handlers) { signal(key, handler) } }
        let process = try Fork.child {
            signal(SIGPIPE, SIG_DFL)
            for (key, handler) in zip(keys, handlers) { signal(key, handler) }
            _ = Fork.exec(["sh", "-c", "\(words) \"$1\"", "sh", path])
            _exit(127)
        }
        switch ChildStatus.wait(for: process) {
        case .exited(0): return
        case .exited(127):
            throw Failure(
                .unavailable,
                "cannot run the editor \"\(words)\"",
                remedy: "EDITOR=PROGRAM linkcond edit ..."
            )
        case .exited(let status): throw Failure(.unavailable, "the editor \"\(words)\" ended with status \(status)")
        case .killed(let number): throw Failure(.unavailable, "signal \(number) ended the editor \"\(words)\"")
        case .stopped, .continued, nil: throw Failure(.internalError, "the editor \"\(words)\" was lost")
        }
    }
}
