// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import PacketPump

extension Journal {
    /// Deletes the files about interfaces of networks that have ended, and of earlier boots.
    ///
    /// - Parameter limit: the minimum number of files about other networks; with fewer, does nothing, to save time.
    func removeEndedNetworks(limit: Int = 1) {
        guard let bootID = machine.bootID else { return }
        let own = machine.networkNumber
        let others = ((try? files(["entry", "new", "next", PumpSockets.ending, SocketDirectory.mirrorEnding])) ?? [])
            .filter {
                $0.number == nil || $0.number != own
            }
        guard others.count >= limit else { return }
        let owners = others.map { ($0, owner(of: $0)) }
        let living = LivingNetworks.find { NetworkIdentity.Number.currentIfReadable }
        let ended = owners.filter { isEnded($0.0, $0.1, living, bootID) }
        guard !ended.isEmpty else { return }
        // Checks again: a process that starts another one and ends can hide its network from the first check.
        let again = LivingNetworks.find(isThorough: true) { NetworkIdentity.Number.currentIfReadable }
        for (file, owner) in ended where isEnded(file, owner, again, bootID) {
            // A process that holds the lock is alive, and so is its network.
            let path = path(file, "lock")
            guard let lock = try? disk.lock(path, holder: "", lockTimeout: .zero) else { continue }
            try? remove(file)
            removeSockets(file)
            try? disk.remove(self.path(file, SocketDirectory.mirrorEnding))
            lock.forget()
        }
    }

    /// The entry in a file, which names its network and the processes that know it; nil if there is none.
    private func owner(of file: JournalFile) -> JournalEntry? {
        guard case .entry(let entry) = read(file, JournalReading.init(_:)) else { return nil }
        return entry
    }

    private func isEnded(
        _ file: JournalFile,
        _ entry: JournalEntry?,
        _ living: LivingNetworks,
        _ bootID: String
    ) -> Bool {
        if let entry, entry.network.bootID != bootID { return true }
        // In a container's process namespace, a network of the host may have no process.
        let makers = entry?.makers ?? []
        guard ProcessIdentity.seesAll || !makers.isEmpty && makers.allSatisfy(\.isOfThisNamespace) else { return false }
        return living.lacks(file.network, inode: entry?.network.identity.inode)
    }
}

extension JournalEntry {
    /// The processes that made the rules and the change.
    fileprivate var makers: [ProcessIdentity] {
        (rules + suspended).map(\.owner) + [change?.owner].compactMap { $0 }
    }
}

extension LivingNetworks {
    /// Whether a network no longer exists.
    ///
    /// - Parameter inode: the network's inode; nil if unknown.
    func lacks(_ network: JournalFile.Network, inode: UInt64?) -> Bool {
        if isBlind { return false }
        switch network {
        case .number(let number):
            guard known[number] == nil else { return false }
            return unknown.isEmpty || inode.map { !unknown.contains($0) } ?? false
        case .inode(let inode): return !inodes.contains(inode) && !unknown.contains(inode)
        }
    }
}
