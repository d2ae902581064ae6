// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
package import ClientVerdicts
import Glibc
internal import LinuxSystem

/// The open TCP connections in the calling thread's network that some process holds.
package enum OpenSockets {
    /// Lists the open sockets, for the supervisor of a run; empty if the kernel does not list them.
    package static func current() -> [RunRecord.OpenSocket] {
        let states: Set<SocketTable.State> = [.established, .synSent, .closeWait]
        let open = (SocketTable.entries(in: states) ?? []).filter { $0.inode != 0 }
        let inodes = Set(open.map(\.inode))
        // The run's processes are searched first: a search of all processes of the machine takes long.
        var owners = open.isEmpty ? [:] : SocketOwners.find(inodes, among: ProcessTree.descendants())
        if owners.count < inodes.count {
            let others = SocketOwners.find(
                inodes.subtracting(owners.keys),
                among: DirectoryListing.numbers(in: "/proc")
            )
            owners.merge(others) { first, _ in first }
        }
        let holders = SocketHolder.find(owners.values.map(\.process), below: getpid())
        return open.compactMap { entry in
            let owner = owners[entry.inode]
            let holder = owner.flatMap { holders[$0.process] }
            return entry.ends.map {
                RunRecord.OpenSocket($0, owner: owner?.name, holder: holder, inode: entry.inode)
            }
        }
    }
}

extension OpenSockets {
    /// Whether some process in the scope of a part has a socket that may still receive an answer.
    ///
    /// - Parameter open: the connections that were open at the end of the part.
    package static func mayGetAnswers(_ scope: PartScope, _ open: [RunRecord.OpenSocket]) -> Bool {
        guard let process = scope.process else { return true }
        guard !open.contains(where: { scope.relation(to: $0.holder) != .other }),
            let datagrams = SocketTable.entries(in: [.closed, .established], of: "udp")
        else { return true }
        let processes = [process] + ProcessTree.descendants(of: process)
        return !SocketOwners.find(Set(datagrams.map(\.inode)), among: processes).isEmpty
    }
}

/// Finds the processes that hold sockets.
package enum SocketOwners {
    /// Finds a process that holds each of these sockets, with words such as "curl (1234)". Searches `processes` in
    /// order until all sockets are found, as far as this process may read their descriptors.
    package static func find(_ inodes: Set<UInt64>, among processes: [Int32]) -> [UInt64: (
        process: Int32, name: String
    )] {
        var owners: [UInt64: (process: Int32, name: String)] = [:]
        for process in processes {
            let held = SocketInodes.held(by: process).lazy.compactMap { UInt64($0) }.filter { inodes.contains($0) }
            var name: String?
            for inode in held where owners[inode] == nil {
                let known = name ?? ProcessStatus.words(process)
                name = known
                owners[inode] = (process, known)
            }
            if owners.count == inodes.count { break }
        }
        return owners
    }
}
