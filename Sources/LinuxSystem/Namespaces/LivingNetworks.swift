// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The network namespaces that exist, as far as this process can see.
package struct LivingNetworks: Sendable {
    /// The namespaces with a number.
    package var known: [NetworkIdentity.Number: NetworkNamespace] = [:]
    /// The inodes of those that have a number, or are known to have none.
    package var inodes: Set<UInt64> = []
    /// The inodes of those that could not be asked.
    package var unknown: Set<UInt64> = []

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
        let found = Found()
        // A thread of its own, because it cannot return to its namespace without privileges.
        let thread = try? PosixThread.start {
            for (inode, namespace) in namespaces {
                guard (try? namespace.enter()) != nil, let answer = readNumber() else { continue }
                // The process may have ended meanwhile, and another one have its ID.
                guard NetworkNamespace.currentInode == inode else { continue }
                found.networks.inodes.insert(inode)
                if let number = answer { found.networks.known[number] = namespace }
            }
        }
        thread?.join()
        var networks = found.networks
        networks.unknown = Set(namespaces.keys).subtracting(networks.inodes)
        if isThorough { networks.unknown.formUnion(NetworkNamespace.heldInodes.subtracting(networks.inodes)) }
        return networks
    }

    /// Carries the result from the thread.
    private final class Found: @unchecked Sendable {
        var networks = LivingNetworks()
    }
}

extension NetworkNamespace {
    /// The inodes of the namespaces that a mount or a descriptor of any process holds.
    fileprivate static var heldInodes: Set<UInt64> {
        var inodes: Set<UInt64> = []
        for process in DirectoryListing.numbers(in: "/proc") {
            for line in ProcFile("/proc/\(process)/mountinfo").lines {
                // The root of the mount is the fourth field.
                if let root = line.split(separator: " ").dropFirst(3).first, let inode = inode(in: root) {
                    inodes.insert(inode)
                }
            }
            let descriptors = "/proc/\(process)/fd"
            for descriptor in DirectoryListing.numbers(in: descriptors) {
                var buffer = [CChar](repeating: 0, count: 64)
                let count = readlink("\(descriptors)/\(descriptor)", &buffer, buffer.count)
                guard count > 0 else { continue }
                let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if let inode = inode(in: target[...]) { inodes.insert(inode) }
            }
        }
        return inodes
    }

    /// The inode in the proc(5) name of a network namespace, as "net:[4026531840]".
    private static func inode(in name: Substring) -> UInt64? {
        guard name.hasPrefix("net:["), name.hasSuffix("]") else { return nil }
        return UInt64(name.dropFirst("net:[".count).dropLast())
    }
}
