// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The processes that hold sockets.
package enum SocketOwners {
    /// "curl (1234)" for each of these inodes, as far as this process may look.
    package static func find(_ inodes: Set<UInt64>) -> [UInt64: String] {
        find(inodes, among: DirectoryListing.numbers(in: "/proc")).mapValues(\.name)
    }

    /// The same among these processes, which are looked at in order until all are found.
    package static func find(_ inodes: Set<UInt64>, among processes: [Int32]) -> [UInt64: (
        process: Int32, name: String
    )] {
        var owners: [UInt64: (process: Int32, name: String)] = [:]
        for process in processes {
            let held = SocketInodes.held(by: process).lazy.compactMap { UInt64($0) }.filter { inodes.contains($0) }
            var name: String?
            for inode in held where owners[inode] == nil {
                let known = name ?? "\(ProcFile("/proc/\(process)/comm").firstLine ?? "process") (\(process))"
                name = known
                owners[inode] = (process, known)
            }
            if owners.count == inodes.count { break }
        }
        return owners
    }
}
