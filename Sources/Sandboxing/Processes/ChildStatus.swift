// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What waitpid(2) told about a child.
enum ChildStatus: Hashable {
    /// It ended by itself with this status.
    case exited(CInt)
    /// A signal ended it.
    case killed(CInt)
    /// A signal stopped it.
    case stopped(CInt)
    /// A signal let it go on.
    case continued

    /// Reads wait(2)'s word, whose macros Swift does not import.
    init(word: CInt) {
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

    /// What the children have to tell, without waiting for any.
    static func all() -> [(process: pid_t, status: ChildStatus)] {
        var changes: [(process: pid_t, status: ChildStatus)] = []
        var word: CInt = 0
        while true {
            let process = waitpid(-1, &word, WNOHANG | WUNTRACED | WCONTINUED)
            guard process > 0 else { return changes }
            changes.append((process, ChildStatus(word: word)))
        }
    }

    /// Waits for the end of `process`; nil where it is no child, or no longer.
    static func wait(for process: pid_t) -> ChildStatus? {
        var word: CInt = 0
        while waitpid(process, &word, 0) < 0 {
            if errno != EINTR { return nil }
        }
        return ChildStatus(word: word)
    }
}

extension CommandEnd {
    /// The end that a child's status is; nil where it has only stopped, or gone on.
    init?(_ status: ChildStatus) {
        switch status {
        case .exited(let code): self = .exited(code)
        case .killed(let signal): self = .killed(signal)
        case .stopped, .continued: return nil
        }
    }
}
