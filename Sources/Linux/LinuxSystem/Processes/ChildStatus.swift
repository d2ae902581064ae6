// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The status of a child, from waitpid(2).
package enum ChildStatus: Hashable {
    /// The child exited with this status.
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

    /// Whether the child has ended.
    package var isEnd: Bool {
        switch self {
        case .exited, .killed: true
        case .stopped, .continued: false
        }
    }

    /// The maximum number of reports at once: in a storm of forks, children end as fast as they are reaped.
    package static let maximum = 1024

    /// The pending status changes of children; does not wait. If the limit is reached, sends this process SIGCHLD, so
    /// that it calls again.
    package static func all(atMost limit: Int = maximum) -> [(process: Int32, status: ChildStatus)] {
        var changes: [(process: Int32, status: ChildStatus)] = []
        var word: CInt = 0
        while changes.count < limit {
            let process = waitpid(-1, &word, WNOHANG | WUNTRACED | WCONTINUED)
            guard process > 0 else { return changes }
            changes.append((process, ChildStatus(word: word)))
        }
        kill(getpid(), SIGCHLD)
        return changes
    }

    /// Waits until `process` ends; nil if it is not, or no longer, a child.
    package static func wait(for process: Int32) -> ChildStatus? {
        var word: CInt = 0
        while waitpid(process, &word, 0) < 0 {
            if errno != EINTR { return nil }
        }
        return ChildStatus(word: word)
    }

    /// Waits for the end of `process` and reaps it, unless it runs longer than `limit`.
    ///
    /// - Parameter children: a queue of SIGCHLD, whose signals are discarded.
    /// - Returns: false if the process still runs.
    package static func wait(for process: Int32, limit: Duration, _ children: SignalQueue) -> Bool {
        let deadline = BootClock.now + limit
        while waitpid(process, nil, WNOHANG) == 0 {
            let rest = deadline - BootClock.now
            guard rest > .zero else { return false }
            Wait.untilReadable([children.descriptor], limit: rest)
            while children.next() != nil {}
        }
        return true
    }
}
