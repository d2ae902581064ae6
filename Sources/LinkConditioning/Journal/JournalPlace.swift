// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// A network namespace of one boot, in which an interface's index is unique.
public struct JournalPlace: Hashable, Sendable {
    /// The ID of the boot: /proc/sys/kernel/random/boot_id.
    public var bootID: String
    /// The inode of the network namespace.
    public var namespace: UInt64

    /// Makes a place.
    public init(bootID: String, namespace: UInt64) {
        self.bootID = bootID
        self.namespace = namespace
    }

    /// The network that the calling thread is in; nil if proc(5) is not mounted.
    public static var current: JournalPlace? {
        guard let bootID = ProcFile("/proc/sys/kernel/random/boot_id").firstLine,
            let namespace = NetworkNamespace.currentInode
        else { return nil }
        return JournalPlace(bootID: bootID, namespace: namespace)
    }
}
