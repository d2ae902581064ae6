// SPDX-License-Identifier: Apache-2.0

/// Which network of which run of the machine: what an interface's index is unique in.
public struct JournalPlace: Hashable, Sendable {
    /// What the kernel calls this run of the machine: /proc/sys/kernel/random/boot_id.
    public var bootID: String
    /// The inode of the network namespace.
    public var namespace: UInt64

    /// Makes a place.
    public init(bootID: String, namespace: UInt64) {
        self.bootID = bootID
        self.namespace = namespace
    }

    /// The network that the calling thread is in; nil where proc(5) is not to be seen.
    public static var current: JournalPlace? {
        guard let bytes = try? SmallFile.read("/proc/sys/kernel/random/boot_id"),
            let namespace = FileIdentity("/proc/thread-self/ns/net")?.inode
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return JournalPlace(bootID: String(text.prefix { !$0.isWhitespace }), namespace: namespace)
    }
}
