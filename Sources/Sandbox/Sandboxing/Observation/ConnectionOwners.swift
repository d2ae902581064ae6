// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
import Glibc
internal import LinuxSystem
internal import SandboxClient

/// The owners of a network's connections, found once for each: a look at all descriptors takes long.
struct ConnectionOwners {
    /// The sockets that were looked up, found or not.
    private var known: Set<UInt64> = []
    /// Before this time nothing is looked up: a client with many sockets would keep a processor busy.
    private var next = Int64.min
    /// The processes in which sockets were found the last time: the next ones are probably there.
    private var holders: [Int32] = []

    /// Whether every socket of the last look was looked up.
    private(set) var isComplete = true

    /// A look-up takes no more than this share of the time: one in so many.
    private static let share: Int64 = 16

    /// The owners of the sockets that are new, at a time in nanoseconds.
    mutating func find(_ entries: [SocketTable.Entry], at now: Int64) -> [(SocketTable.Entry, String, SocketHolder?)] {
        let present = entries.filter { $0.inode != 0 }
        let new = present.filter { !known.contains($0.inode) }
        let inodes = Set(present.map(\.inode))
        // The kernel may give the number of one that is gone to another.
        known.formIntersection(inodes)
        isComplete = new.isEmpty || now >= next
        guard !new.isEmpty, isComplete else { return [] }
        known = inodes
        let spent = ThreadClock.now
        defer { next = now + (ThreadClock.now - spent) * Self.share }
        return find(new)
    }

    private mutating func find(_ new: [SocketTable.Entry]) -> [(SocketTable.Entry, String, SocketHolder?)] {
        let inodes = Set(new.map(\.inode))
        var owners = SocketOwners.find(inodes, among: holders)
        if owners.count < inodes.count {
            let others = ProcessTree.descendants().filter { !holders.contains($0) }
            owners.merge(SocketOwners.find(inodes.subtracting(owners.keys), among: others)) { first, _ in first }
        }
        holders = Array(Set(owners.values.map(\.process)))
        let positions = SocketHolder.find(holders, below: getpid())
        return new.compactMap { entry in owners[entry.inode].map { (entry, $0.name, positions[$0.process]) } }
    }
}
