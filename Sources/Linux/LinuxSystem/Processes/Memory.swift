// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory that this process can still use before the kernel's OOM killer acts.
package enum AvailableMemory {
    /// The available memory in bytes: the smaller of the machine's (`MemAvailable` of proc_meminfo(5)) and the rest of
    /// this process's control group and its ancestors (`memory.max` and `memory.current` of
    /// Documentation/admin-guide/cgroup-v2.rst, or their predecessors of version 1). `Int.max` if neither is known.
    package static func bytes() -> Int {
        let line = ProcFile("/proc/meminfo").lines.first { $0.hasPrefix("MemAvailable:") }
        let machine = line.flatMap(number).map { $0 * 1024 }
        return (groups() + [machine]).compactMap { $0 }.min() ?? .max
    }

    /// The remaining memory of each group from this process's to the root.
    private static func groups() -> [Int?] {
        ProcFile("/proc/self/cgroup").lines.flatMap { line -> [Int?] in
            // "0::/path" in version 2, "4:memory:/path" in version 1.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[1].isEmpty || parts[1].split(separator: ",").contains("memory") else {
                return []
            }
            let (root, limitFile, usageFile) =
                parts[1].isEmpty
                ? ("/sys/fs/cgroup", "memory.max", "memory.current")
                : ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            // "/a/b", "/a" and "" for "/a/b". In a container the group's own files are at the root.
            let names = parts[2].split(separator: "/")
            return (0...names.count).map { count in
                let directory = root + names.prefix(count).map { "/\($0)" }.joined()
                // "max" has no digits.
                guard let limit = number(ProcFile("\(directory)/\(limitFile)").text),
                    let usage = number(ProcFile("\(directory)/\(usageFile)").text)
                else { return nil }
                return max(limit - usage, 0)
            }
        }
    }

    private static func number(_ text: String) -> Int? { Int(text.filter(\.isNumber)) }
}

/// Keeps the pages of this process in memory, for a process that must work while no disk responds.
package enum LockedMemory {
    /// Loads and locks all present pages, and later pages when they are first used: mlockall(2). Does nothing if
    /// RLIMIT_MEMLOCK is too low and CAP_IPC_LOCK is missing. Children do not inherit the lock.
    package static func lock() {
        mlockall(MCL_CURRENT)
        // Locked only on first use, since not all mapped memory is used: the pump's frames.
        mlockall(MCL_FUTURE | MCL_ONFAULT)
    }
}
