// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Synchronization

/// The network namespaces that exist, as far as this process can see.
package struct LivingNetworks: Sendable {
    /// The namespaces with a number.
    package var known: [NetworkIdentity.Number: NetworkNamespace] = [:]
    /// The inodes of the namespaces that have a number, or are known to have none.
    package var inodes: Set<UInt64> = []
    /// The inodes of the namespaces whose number could not be read.
    package var unknown: Set<UInt64> = []

    /// Whether not even this process's own namespace was found, for instance because /proc cannot be read.
    package var isBlind = false

    package init() {}

    /// Looks for namespaces with a process or a mount of `ip netns`, and reads the number of each from inside.
    ///
    /// - Parameters:
    ///   - isThorough: whether to look also for mounts elsewhere and open descriptors, which takes longer.
    ///   - readNumber: returns the number of the calling thread's namespace, or nil inside if it has none; nil if it
    ///     cannot be read.
    package static func find(
        isThorough: Bool = false,
        _ readNumber: @escaping @Sendable () -> NetworkIdentity.Number??
    ) -> LivingNetworks {
        let namespaces = NetworkNamespace.all
        let found = Mutex(LivingNetworks())
        // Uses another thread, because a thread cannot return to its namespace without privileges.
        let thread = try? PosixThread.start {
            for (inode, namespace) in namespaces {
                guard (try? namespace.enter()) != nil, let answer = readNumber() else { continue }
                // The process may have ended, and its ID belong to another one.
                guard NetworkNamespace.currentInode == inode else { continue }
                found.withLock { found in
                    found.inodes.insert(inode)
                    if let number = answer { found.known[number] = namespace }
                }
            }
        }
        thread?.join()
        var networks = found.withLock { $0 }
        networks.unknown = Set(namespaces.keys).subtracting(networks.inodes)
        networks.isBlind = NetworkNamespace.currentInode.map { namespaces[$0] == nil } ?? true
        if isThorough { networks.unknown.formUnion(NetworkNamespace.heldInodes.subtracting(networks.inodes)) }
        return networks
    }
}

extension NetworkNamespace {
    /// The inodes of the namespaces that a mount or a descriptor of any process holds.
    fileprivate static var heldInodes: Set<UInt64> {
        var inodes: Set<UInt64> = []
        for process in DirectoryListing.numbers(in: "/proc") {
            // The root of a mount is the fourth field.
            let mounts = ProcFile("/proc/\(process)/mountinfo").lines.compactMap {
                $0.split(separator: " ").dropFirst(3).first
            }
            for name in mounts + SocketInodes.links(of: process).map({ $0[...] }) {
                if let inode = SocketInodes.inode(in: name, kind: "net").flatMap({ UInt64($0) }) {
                    inodes.insert(inode)
                }
            }
        }
        return inodes
    }
}
