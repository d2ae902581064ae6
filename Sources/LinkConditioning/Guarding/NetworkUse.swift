// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinuxSystem

/// Whether anybody uses a network namespace. The kernel does not tell, and a process of ours keeps it alive.
enum NetworkUse {
    /// Whether nobody but guardians and pumps is in the network of this process, and nothing has given it a name.
    ///
    /// Processes that this one may not look at, another user's, do not count; neither does an open descriptor.
    static func isDeserted() -> Bool {
        guard let own = name(of: "self") else { return false }
        let processes = DirectoryListing.numbers(in: "/proc")
        let isUsed = processes.contains { name(of: String($0)) == own && !isOurs($0) }
        return !isUsed && !processes.contains { isMounted(own, by: $0) }
    }

    /// What proc(5) calls the network of a process: "net:[4026531840]".
    private static func name(of process: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/\(process)/ns/net", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    private static func isOurs(_ process: pid_t) -> Bool {
        ["lc-guardian", "lc-pump"].contains(ProcFile("/proc/\(process)/comm").firstLine)
    }

    /// Whether somebody has mounted it on a file, as "ip netns" does.
    private static func isMounted(_ network: String, by process: pid_t) -> Bool {
        ProcFile("/proc/\(process)/mountinfo").lines.contains {
            $0.split(separator: " ").dropFirst(3).first.map(String.init) == network
        }
    }
}
