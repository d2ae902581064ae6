// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// What a process gives up for ever before it parses what other users send.
///
/// A system call that is not permitted fails with EPERM; it does not end the process. A library may try one that it can
/// do without, and a pump that ended would leave its network without any traffic; to an attacker both are the same.
package enum Confinement {
    /// The work of a process.
    package enum Work {
        /// It reads and writes descriptors that it has, and those that it receives or accepts.
        case openDescriptors
        /// It also makes connections over IPv4 and IPv6.
        case connections
    }

    /// Gives up root's user and groups, all capabilities, new privileges, and the system calls that the work does not
    /// need. What the kernel lacks or forbids is left out. The calling process must have a single thread.
    package static func enter(_ work: Work) {
        if geteuid() == 0 { becomeNoUser() }
        _ = lc_drop_capabilities()
        _ = lc_forbid_tracing()
        guard lc_forbid_new_privileges() == 0 else { return }
        _ = lc_limit_system_calls(work == .connections ? 1 : 0)
    }

    /// The user IDs that systemd gives to services without an account of their own (DynamicUser=).
    private static let unusedIDs: ClosedRange<UInt32> = 61184...65519

    /// Changes to a user and a group without an account. Each process has its own, so it cannot signal others. Fails in
    /// a user namespace that lacks them.
    private static func becomeNoUser() {
        let number = unusedIDs.lowerBound + UInt32(getpid()) % UInt32(unusedIDs.count)
        _ = setgroups(0, nil)
        if setgid(number) == 0 { _ = setuid(number) }
    }
}
