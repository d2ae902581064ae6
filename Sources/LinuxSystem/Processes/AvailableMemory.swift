// SPDX-License-Identifier: Apache-2.0

/// The memory that this process can still take before the kernel must end a process for it.
public enum AvailableMemory {
    /// In bytes: the smaller of what the machine has (`MemAvailable` of proc_meminfo(5)) and what this process's control
    /// group and its ancestors leave (`memory.max` and `memory.current` of Documentation/admin-guide/cgroup-v2.rst, or
    /// their predecessors of version 1). `Int.max` if neither is known.
    public static func bytes(_ files: Files = .system) -> Int {
        ([machine(files)] + groups(files)).compactMap { $0 }.min() ?? .max
    }

    /// Where the figures are read.
    public struct Files: Sendable {
        /// Reads a file; nil if there is none.
        public var read: @Sendable (String) -> String?

        /// Reads by `read`.
        public init(read: @escaping @Sendable (String) -> String?) { self.read = read }

        /// This machine's files.
        public static let system = Files { path in
            let text = ProcFile(path).text
            return text.isEmpty ? nil : text
        }

        fileprivate func number(_ path: String) -> Int? {
            read(path).flatMap { Int($0.filter(\.isNumber)) }
        }
    }

    private static func machine(_ files: Files) -> Int? {
        let line = files.read("/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
    }

    /// What each group from this process's to the root leaves.
    private static func groups(_ files: Files) -> [Int?] {
        let lines = files.read("/proc/self/cgroup")?.split(separator: "\n") ?? []
        return lines.flatMap { line -> [Int?] in
            // "0::/path" in version 2, "4:memory:/path" in version 1.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            if parts[1].isEmpty {
                return paths(parts[2]).map {
                    left(files, "/sys/fs/cgroup\($0)/memory.max", "/sys/fs/cgroup\($0)/memory.current")
                }
            }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            let root = "/sys/fs/cgroup/memory"
            return paths(parts[2]).map {
                left(files, "\(root)\($0)/memory.limit_in_bytes", "\(root)\($0)/memory.usage_in_bytes")
            }
        }
    }

    /// "/a/b", "/a" and "" for "/a/b". In a container the group's own files are at the root.
    private static func paths(_ path: Substring) -> [String] {
        let names = path.split(separator: "/")
        return (0...names.count).map { names.prefix($0).map { "/\($0)" }.joined() }
    }

    private static func left(_ files: Files, _ limit: String, _ usage: String) -> Int? {
        // "max" has no digits.
        guard let limit = files.number(limit), let usage = files.number(usage) else { return nil }
        return max(limit - usage, 0)
    }
}
