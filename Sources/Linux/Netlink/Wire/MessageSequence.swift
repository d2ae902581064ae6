// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// One message of the kernel's reply, or one notification.
struct Reply {
    /// The type, such as RTM_NEWQDISC.
    let type: Int
    /// The flags of netlink's header.
    var flags: UInt16 = 0
    /// The body after netlink's header.
    let body: ArraySlice<UInt8>
}

/// The messages of one datagram.
struct MessageSequence: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ datagram: [UInt8]) {
        rest = datagram[...]
    }

    mutating func next() -> Reply? {
        let headerLength = MemoryLayout<nlmsghdr>.size
        guard let header = rest.load(nlmsghdr.self), header.nlmsg_len >= headerLength,
            header.nlmsg_len <= rest.count
        else { return nil }
        let message = rest.prefix(Int(header.nlmsg_len))
        rest = rest.dropFirst((Int(header.nlmsg_len) + 3) & ~3)
        return Reply(
            type: Int(header.nlmsg_type),
            flags: header.nlmsg_flags,
            body: message.dropFirst(headerLength)
        )
    }
}
