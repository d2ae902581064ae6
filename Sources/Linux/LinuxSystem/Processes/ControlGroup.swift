// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A control group for one command: cgroups(7), version 2. The kernel can kill all of its processes at once, however
/// fast they fork.
package struct ControlGroup: Sendable {
    /// The descriptor of the group's directory, closed on exec. The directory is locked while any process has this
    /// descriptor.
    package let descriptor: CInt
    private let path: String

    private static let prefix = "linkcond-"

    /// Creates a group below the group of this process.
    ///
    /// - Returns: nil if this process may not create one, if the kernel lacks cgroup.kill (before 5.14), or if the
    ///   present group limits memory or processors: the command would look for limits in its own group, where there are
    ///   none.
    package static func make() -> ControlGroup? {
        guard let parent = ownDirectory, !hasLimits(parent) else { return nil }
        removeAbandoned(in: parent)
        let path = "\(parent)/\(prefix)\(String(UInt64.random(in: .min ... .max), radix: 16))"
        guard mkdir(path, 0o755) == 0 else { return nil }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_SH | LOCK_NB) == 0, access("\(path)/cgroup.kill", W_OK) == 0
        else {
            if descriptor >= 0 { Glibc.close(descriptor) }
            rmdir(path)
            return nil
        }
        return ControlGroup(descriptor: descriptor, path: path)
    }

    /// Sends SIGKILL to all processes in the group, including children that they fork meanwhile.
    package func kill() {
        let file = openat(descriptor, "cgroup.kill", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, "1", 1)
        Glibc.close(file)
    }

    /// Removes the group, unless it has processes.
    package func remove() { Self.remove(path) }

    /// Closes the directory, which unlocks it if no other process has it open.
    package func close() { Glibc.close(descriptor) }

    /// Removes a group, and the groups that the command has created in it.
    private static func remove(_ path: String) {
        guard rmdir(path) < 0, errno == EBUSY else { return }
        for name in DirectoryListing.names(in: path) where isDirectory("\(path)/\(name)") { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// Removes empty groups that were left because all of linkcond's processes were killed at once.
    private static func removeAbandoned(in parent: String) {
        for name in DirectoryListing.names(in: parent) where name.hasPrefix(prefix) {
            let descriptor = open("\(parent)/\(name)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove("\(parent)/\(name)") }
            Glibc.close(descriptor)
        }
    }

    /// The directory of the group that this process is in.
    private static var ownDirectory: String? {
        let entry = ProcFile("/proc/self/cgroup").lines.first { $0.hasPrefix("0::/") }
        guard let path = entry?.dropFirst("0::".count) else { return nil }
        for line in ProcFile("/proc/self/mountinfo").lines {
            // "ID PARENT DEVICE ROOT MOUNTPOINT OPTIONS ... - TYPE SOURCE OPTIONS", proc(5).
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), fields[dash...].dropFirst().first == "cgroup2" else {
                continue
            }
            let root = fields[3] == "/" ? "" : fields[3]
            guard path == root || path.hasPrefix("\(root)/"), !fields[4].contains("\\") else { continue }
            let below = path.dropFirst(root.count)
            return below == "/" ? String(fields[4]) : "\(fields[4])\(below)"
        }
        return nil
    }

    /// Whether the group has limits by which programs choose their heap size or number of threads.
    private static func hasLimits(_ directory: String) -> Bool {
        ["memory.max", "memory.high", "cpu.max", "cpuset.cpus"].contains {
            ProcFile("\(directory)/\($0)").firstLine.map { !$0.hasPrefix("max") } ?? false
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }
}
