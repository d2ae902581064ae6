// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
import Glibc
internal import LinuxSystem
internal import SandboxClient

/// Finds the processes that own a network's connections, once for each: a search of all descriptors takes long.
struct ConnectionOwners {
    /// The inodes of the sockets that were looked up, whether an owner was found or not.
    private var known: Set<UInt64> = []
    /// The earliest time of the next look-up, in nanoseconds: a client with many sockets would keep a processor busy.
    private var next = Int64.min
    /// The processes that held sockets at the last look-up: new sockets are probably theirs.
    private var holders: [Int32] = []

    /// Whether every socket of the last call to ``find(_:at:)`` was looked up.
    private(set) var isComplete = true

    /// Look-ups take at most one part in `share` of the time.
    private static let share: Int64 = 16

    /// Looks up the owners of new sockets, unless the last look-up was just before; `now` is in nanoseconds.
    mutating func find(_ entries: [SocketTable.Entry], at now: Int64) -> [(SocketTable.Entry, String, SocketHolder?)] {
        let present = entries.filter { $0.inode != 0 }
        let new = present.filter { !known.contains($0.inode) }
        let inodes = Set(present.map(\.inode))
        // The kernel may reuse the inode of a socket that is gone.
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
