// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Drops rights of a process for good before it parses other users' input.
///
/// A forbidden system call fails with EPERM and does not end the process: a library may try a call that it can do
/// without, and if a pump ended, its network would have no traffic. For an attacker the two are the same.
package enum Confinement {
    package enum Work {
        /// The process reads and writes descriptors that it has, receives or accepts.
        case openDescriptors
        /// The process also makes connections over IPv4 and IPv6.
        case connections
        /// Like `connections`, but the process keeps its user, whose ID firewalls see on the connections.
        case ownConnections
        /// The process also opens files for reading, connects to unix sockets and queries the kernel about the network.
        /// It keeps its user, who owns these files and sockets.
        case probes

        fileprivate var systemCalls: lc_system_calls {
            switch self {
            case .openDescriptors: lc_calls_on_descriptors
            case .connections, .ownConnections: lc_calls_to_connect
            case .probes: lc_calls_to_probe
            }
        }

        fileprivate var keepsUser: Bool { [.ownConnections, .probes].contains(self) }
    }

    /// Privileges that a process may keep: capabilities(7).
    package struct Capabilities: OptionSet, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Locking memory beyond the limit: CAP_IPC_LOCK.
        package static let lockedMemory = Capabilities(rawValue: 1 << UInt64(CAP_IPC_LOCK))
        /// Raw sockets: CAP_NET_RAW.
        package static let rawSockets = Capabilities(rawValue: 1 << UInt64(CAP_NET_RAW))
        /// Ports below 1024: CAP_NET_BIND_SERVICE.
        package static let lowPorts = Capabilities(rawValue: 1 << UInt64(CAP_NET_BIND_SERVICE))
        /// Namespaces: CAP_SYS_ADMIN.
        package static let namespaces = Capabilities(rawValue: 1 << UInt64(CAP_SYS_ADMIN))
        /// Files and unix sockets of all users: CAP_DAC_OVERRIDE.
        package static let allFiles = Capabilities(rawValue: 1 << UInt64(CAP_DAC_OVERRIDE))
    }

    /// Drops root's user and groups, all capabilities but `kept`, new privileges, and the system calls that the work
    /// does not need. Skips what the kernel lacks or forbids. The calling process must have a single thread. It may be
    /// the child of a process with several threads: this function instantiates no generic type, for which the runtime
    /// would take a lock.
    package static func enter(_ work: Work, keeping kept: Capabilities = Capabilities(rawValue: 0)) {
        if kept.rawValue != 0 { lc_prctl(PR_SET_KEEPCAPS, 1) }
        // Fails in a user namespace that does not map the user.
        if geteuid() == 0, !work.keepsUser { _ = become(unusedID(of: getpid())) }
        _ = lc_limit_capabilities(kept.rawValue)
        _ = lc_prctl(PR_SET_DUMPABLE, 0)
        guard lc_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else { return }
        _ = lc_limit_system_calls(work.systemCalls)
    }

    /// Whether root has the capabilities to become another user: CAP_SETUID and CAP_SETGID. Without, a confined process
    /// keeps root's user ID.
    package static var canChangeUser: Bool {
        lc_has_capabilities(1 << UInt64(CAP_SETUID) | 1 << UInt64(CAP_SETGID)) != 0
    }

    /// A user and group ID without an account, different for each process, so that confined processes cannot signal
    /// each other: from 61184 to 65519, the range of systemd's DynamicUser=.
    package static func unusedID(of process: Int32) -> UInt32 { 61184 + UInt32(process) % 4336 }

    /// Changes the user and group ID to `number`; returns whether that was possible.
    package static func become(_ number: UInt32) -> Bool {
        _ = setgroups(0, nil)
        return setgid(number) == 0 && setuid(number) == 0
    }
}
