// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The messages of one datagram.
struct MessageSequence: Sequence, IteratorProtocol {
    struct Element {
        let type: Int
        let flags: UInt16
        let body: ArraySlice<UInt8>
    }

    private var rest: ArraySlice<UInt8>

    init(_ datagram: [UInt8]) {
        rest = datagram[...]
    }

    mutating func next() -> Element? {
        let headerLength = MemoryLayout<nlmsghdr>.size
        guard let header = rest.load(nlmsghdr.self), header.nlmsg_len >= headerLength,
            header.nlmsg_len <= rest.count
        else { return nil }
        let message = rest.prefix(Int(header.nlmsg_len))
        rest = rest.dropFirst((Int(header.nlmsg_len) + 3) & ~3)
        return Element(
            type: Int(header.nlmsg_type),
            flags: header.nlmsg_flags,
            body: message.dropFirst(headerLength)
        )
    }
}
