// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// A network namespace of one boot, in which an interface's index is unique.
struct JournalPlace: Hashable, Sendable {
    /// The ID of the boot: /proc/sys/kernel/random/boot_id.
    var bootID: String
    var network: NetworkIdentity
}

extension JournalPlace {
    /// The network that the calling thread is in; nil if proc(5) is not mounted, or if the network can have no entry
    /// because the kernel gives it no number and linkcond has put none there.
    static var current: JournalPlace? {
        NetworkIdentity.Number.current.flatMap { JournalPlace($0) }
    }

    /// The network that the calling thread is in, which gets a number if the kernel gives it none.
    static var forChange: JournalPlace? {
        (NetworkIdentity.Number.current ?? NetworkMark.make()).flatMap { JournalPlace($0) }
    }

    private init?(_ number: NetworkIdentity.Number) {
        guard let bootID = Self.currentBootID, let inode = NetworkNamespace.currentInode else { return nil }
        self.init(bootID: bootID, network: NetworkIdentity(inode: inode, number: number))
    }

    static var currentBootID: String? { ProcFile("/proc/sys/kernel/random/boot_id").firstLine }
}

extension NetworkIdentity.Number {
    /// The number of the calling thread's namespace; nil if it has none.
    static var current: NetworkIdentity.Number? { currentIfReadable ?? nil }

    /// The same with nil inside; nil if it cannot be read.
    static var currentIfReadable: NetworkIdentity.Number?? {
        if let cookie = currentCookie { return .some(cookie) }
        do {
            return .some(try NetworkMark.read())
        } catch {
            return nil
        }
    }
}
