// SPDX-License-Identifier: Apache-2.0

package import ClientObservation
internal import LinuxSystem

/// The connections of the calling thread's network that some process holds.
package enum OpenSockets {
    /// The sockets now; none if the kernel does not tell.
    ///
    /// - Parameter supervisor: the process above those of the run.
    package static func current(below supervisor: Int32) -> [RunRecord.OpenSocket] {
        let states: Set<SocketTable.State> = [.established, .synSent, .closeWait]
        let open = (SocketTable.entries(in: states) ?? []).filter { $0.inode != 0 }
        let processes = open.isEmpty ? [] : DirectoryListing.numbers(in: "/proc")
        let owners = SocketOwners.find(Set(open.map(\.inode)), among: processes)
        let holders = SocketHolder.find(owners.values.map(\.process), below: supervisor)
        return open.compactMap { entry in
            let owner = owners[entry.inode]
            let holder = owner.flatMap { holders[$0.process] }
            return entry.ends.map {
                RunRecord.OpenSocket($0, owner: owner?.name, holder: holder, inode: entry.inode)
            }
        }
    }
}

/// The processes that hold sockets.
package enum SocketOwners {
    /// "curl (1234)" for each of these inodes, as far as this process may look: among these processes, which are looked at
    /// in order until all are found.
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
