// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Checks whether a network namespace is in use. The kernel does not report that, and a guardian or pump keeps the
/// namespace alive.
enum NetworkUse {
    /// Whether only guardians and pumps are in the network of this process, and no mount names it.
    ///
    /// Ignores processes that this one may not inspect, and open descriptors.
    static func isUnused() -> Bool {
        guard let own = FileIdentity("/proc/self/ns/net") else { return false }
        guard let processes = try? DirectoryListing.read("/proc").compactMap({ CInt($0) }) else { return false }
        let isUsed = processes.contains { FileIdentity("/proc/\($0)/ns/net") == own && !isOurs($0) }
        // The namespace's name in /proc/PID/mountinfo, proc(5).
        return !isUsed && !processes.contains { isMounted("net:[\(own.inode)]", by: $0) }
    }

    private static func isOurs(_ process: pid_t) -> Bool {
        ["lc-guardian", "lc-standby", "lc-pump"].contains(ProcFile("/proc/\(process)/comm").firstLine)
    }

    /// Whether the namespace is mounted on a file, as `ip netns` does.
    private static func isMounted(_ network: String, by process: pid_t) -> Bool {
        ProcFile("/proc/\(process)/mountinfo").lines.contains {
            $0.split(separator: " ").dropFirst(3).first.map(String.init) == network
        }
    }
}
