// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Keeps a supervisor that was stopped from holding up what it has to do: its own processes may send it SIGSTOP, and then
/// neither a limit of time nor a signal ends the command. The launcher lets it go on, and ends it if it does not.
struct SupervisorWatch {
    /// The time between two looks.
    private static let interval = Duration.seconds(1)

    private let process: pid_t
    private var wasStopped = false
    /// The time of the next look, by `BootClock`; nil as long as nothing is due of the supervisor.
    private(set) var due: Duration?

    init(_ process: pid_t) { self.process = process }

    /// Expects an action of the supervisor at this time.
    mutating func expect(at time: Duration) {
        let first = time + Self.interval
        due = due.map { min($0, first) } ?? first
    }

    /// Looks, if it is time.
    mutating func look(at now: Duration) {
        guard let time = due, time <= now else { return }
        due = now + Self.interval
        let isStopped = ProcessStatus(process).map { $0.isStopped || $0.isTraced } ?? false
        if isStopped { kill(process, wasStopped ? SIGKILL : SIGCONT) }
        wasStopped = isStopped
    }
}
