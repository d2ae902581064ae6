// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What waitpid(2) reports of a child.
package enum ChildStatus: Hashable {
    /// It exited with this status.
    case exited(CInt)
    /// A signal ended it.
    case killed(CInt)
    /// A signal stopped it.
    case stopped(CInt)
    /// A signal continued it.
    case continued

    /// Reads the status word of wait(2), whose macros Swift does not import.
    package init(word: CInt) {
        if word == 0xFFFF {
            self = .continued
        } else if word & 0xFF == 0x7F {
            self = .stopped(word >> 8 & 0xFF)
        } else if word & 0x7F != 0 {
            self = .killed(word & 0x7F)
        } else {
            self = .exited(word >> 8 & 0xFF)
        }
    }

    /// All reports of children that are pending; does not wait.
    package static func all() -> [(process: Int32, status: ChildStatus)] {
        var changes: [(process: Int32, status: ChildStatus)] = []
        var word: CInt = 0
        while true {
            let process = waitpid(-1, &word, WNOHANG | WUNTRACED | WCONTINUED)
            guard process > 0 else { return changes }
            changes.append((process, ChildStatus(word: word)))
        }
    }

    /// Waits until `process` ends; nil if it is not, or no longer, a child.
    package static func wait(for process: Int32) -> ChildStatus? {
        var word: CInt = 0
        while waitpid(process, &word, 0) < 0 {
            if errno != EINTR { return nil }
        }
        return ChildStatus(word: word)
    }
}
