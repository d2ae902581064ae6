// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
import Glibc
internal import LinuxSystem

extension CommandEnd {
    /// The exit status, as of timeout(1) and env(1).
    package var exitStatus: CInt {
        switch self {
        case .exited(let code): code
        case .killed(let signal): 128 + signal
        case .timedOut: 124
        case .failedFast: 1
        case .notStarted(let code): code == ENOENT || code == ENOTDIR ? 127 : 126
        }
    }

    /// The end that a child's status reports; nil if the child has only stopped or continued.
    init?(_ status: ChildStatus) {
        switch status {
        case .exited(let code): self = .exited(code)
        case .killed(let signal): self = .killed(signal)
        case .stopped, .continued: return nil
        }
    }
}

/// Ends this process in the same way as a command ended: after Ctrl-C, for example, a shell stops its script only if
/// the signal killed its child.
package func exit(like end: CommandEnd) -> Never {
    if case .killed(let signal) = end {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)  // the command has dumped its core already
        SignalSet(signal).restoreDefault()
        raise(signal)
    }
    exit(end.exitStatus)
}
