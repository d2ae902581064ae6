// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// A network namespace of one boot, in which an interface's index is unique.
struct JournalNetwork: Hashable, Sendable {
    /// The ID of the boot: /proc/sys/kernel/random/boot_id.
    var bootID: String
    var identity: NetworkIdentity
}

extension JournalNetwork {
    /// The network that the calling thread is in; nil if it has no number, neither from the kernel nor a `NetworkMark`,
    /// and so can have no entry.
    static var current: JournalNetwork? {
        get throws(SystemError) {
            guard let number = try NetworkIdentity.Number.read() else { return nil }
            return try JournalNetwork(number)
        }
    }

    /// The network that the calling thread is in. Gives it a `NetworkMark` if the kernel gives it no number.
    static func currentMarkedIfNeeded() throws(SystemError) -> JournalNetwork? {
        guard let number = try NetworkIdentity.Number.read() ?? NetworkMark.make() else { return nil }
        return try JournalNetwork(number)
    }

    private init(_ number: NetworkIdentity.Number) throws(SystemError) {
        let path = "/proc/sys/kernel/random/boot_id"
        guard
            let bootID = String(decoding: try SmallFile.read(path, followsLinks: true), as: UTF8.self)
                .split(separator: "\n").first
        else { throw SystemError(operation: "read \(path)", code: ENODATA) }
        guard let inode = NetworkNamespace.currentInode else {
            throw SystemError(operation: "read /proc/thread-self/ns/net", code: errno)
        }
        self.init(bootID: String(bootID), identity: NetworkIdentity(inode: inode, number: number))
    }

    static var currentBootID: String? { ProcFile("/proc/sys/kernel/random/boot_id").firstLine }
}

extension NetworkIdentity.Number {
    /// The number of the calling thread's namespace; nil if it has none.
    static var current: NetworkIdentity.Number? { currentIfReadable ?? nil }

    /// The number of the calling thread's namespace, with an inner nil if it has none; an outer nil if it cannot be
    /// read.
    static var currentIfReadable: NetworkIdentity.Number?? {
        do {
            return .some(try read())
        } catch {
            return nil
        }
    }

    /// Reads the number of the calling thread's namespace; nil if it has none.
    static func read() throws(SystemError) -> NetworkIdentity.Number? {
        if let cookie = try readCookie() { return cookie }
        do {
            return try NetworkMark.read()
        } catch {
            throw SystemError(operation: "read the alias of lo", code: (error as? NetlinkError)?.code ?? EIO)
        }
    }
}
