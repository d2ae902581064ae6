// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The processes that hold sockets.
enum SocketOwners {
    /// "curl (1234)" for each of these inodes, as far as this process may look.
    static func find(_ inodes: Set<UInt64>) -> [UInt64: String] {
        find(inodes, among: DirectoryListing.numbers(in: "/proc")).mapValues(\.name)
    }

    /// The same among these processes, which are looked at in order until all are found.
    static func find(_ inodes: Set<UInt64>, among processes: [Int32]) -> [UInt64: (process: Int32, name: String)] {
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

/// Who holds the connections of a network, found once for each: a look at all descriptors takes long.
struct ConnectionOwners {
    /// The sockets that were looked up, found or not.
    private var known: Set<UInt64> = []
    /// Before this time nothing is looked up: a client with many sockets would keep a processor busy.
    private var next = Int64.min
    /// Where sockets were found the last time: the next ones are probably there.
    private var holders: [Int32] = []

    /// A look-up takes no more than this share of the time: one in so many.
    private static let share: Int64 = 16

    /// The owners of the sockets that are new.
    ///
    /// - Parameter now: the time in nanoseconds.
    mutating func take(_ entries: [SocketTable.Entry], at now: Int64) -> [(SocketTable.Entry, String)] {
        let present = entries.filter { $0.inode != 0 }
        let new = present.filter { !known.contains($0.inode) }
        let inodes = Set(present.map(\.inode))
        // The kernel may give the number of one that is gone to another.
        known.formIntersection(inodes)
        guard !new.isEmpty, now >= next else { return [] }
        known = inodes
        let spent = ThreadClock.now
        defer { next = now + (ThreadClock.now - spent) * Self.share }
        return find(new)
    }

    private mutating func find(_ new: [SocketTable.Entry]) -> [(SocketTable.Entry, String)] {
        let inodes = Set(new.map(\.inode))
        var owners = SocketOwners.find(inodes, among: holders)
        if owners.count < inodes.count {
            let others = ProcessTree.descendants().filter { !holders.contains($0) }
            owners.merge(SocketOwners.find(inodes.subtracting(owners.keys), among: others)) { first, _ in first }
        }
        holders = Array(Set(owners.values.map(\.process)))
        return new.compactMap { entry in owners[entry.inode].map { (entry, $0.name) } }
    }
}
