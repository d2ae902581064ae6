// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The user's browser.
enum Browser {
    /// Opens an address in $BROWSER, else by xdg-open, and returns at once. Call it before the first thread starts.
    ///
    /// - Returns: the reason why the browser is not opened; nil if it was started.
    static func open(_ address: String) -> String? {
        // Pages are others' programs: root's browser would run them with root's files.
        guard geteuid() != 0 else { return "root starts no browser: open the address as the desktop's user" }
        let chosen = getenv("BROWSER").map { String(cString: $0) } ?? ""
        guard !chosen.isEmpty || Executable.path(of: "xdg-open") != nil else {
            return "there is no xdg-open, and $BROWSER is not set: open the address in a browser"
        }
        let command = chosen.isEmpty ? ["xdg-open", address] : ["sh", "-c", "\(chosen) \"$1\"", "sh", address]
        do {
            // A session of its own: Ctrl-C ends the pane, and not the browser, which has no parent to reap it.
            try HelperProcess.start(nil, keeping: [], hasOwnSession: true) { leave(running: command) }.reap()
            return nil
        } catch {
            return "cannot start a browser: \(error)"
        }
    }

    /// Ends this process, and leaves a child that executes the command.
    private static func leave(running command: [String]) -> Never {
        _ = try? Fork.child { execute(command) }
        _exit(0)
    }

    private static func execute(_ command: [String]) -> Never {
        _ = Fork.exec(command)
        _exit(127)
    }
}
