// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Continues or kills a stopped supervisor: processes of the command may send it SIGSTOP, and then neither the time
/// limit nor a signal would end the command. The launcher sends SIGCONT, and SIGKILL if it is still stopped at the next
/// look.
struct SupervisorWatch {
    /// The time between two looks.
    private static let interval = Duration.seconds(1)

    private let process: pid_t
    private var wasStopped = false
    /// The time of the next look, by `BootClock`; nil while the supervisor has nothing to do.
    private(set) var due: Duration?

    init(_ process: pid_t) { self.process = process }

    /// Looks at the supervisor from `interval` after this time on, since the supervisor has something to do then.
    mutating func expect(at time: Duration) {
        let first = time + Self.interval
        due = due.map { min($0, first) } ?? first
    }

    /// Looks at the supervisor if a look is due: sends SIGCONT if it is stopped, and SIGKILL if it was stopped before,
    /// too.
    mutating func look(at now: Duration) {
        guard let time = due, time <= now else { return }
        due = now + Self.interval
        let isStopped = ProcessStatus(process).map { $0.isStopped || $0.isTraced } ?? false
        if isStopped { kill(process, wasStopped ? SIGKILL : SIGCONT) }
        wasStopped = isStopped
    }
}
