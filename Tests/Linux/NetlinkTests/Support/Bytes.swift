// SPDX-License-Identifier: Apache-2.0

import CNetlink

@testable import Netlink

/// The bytes of the value in memory.
func bytes(of value: some BitwiseCopyable) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
}

/// An attribute with its header and padding.
func attribute(_ type: Int, _ payload: [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
    return bytes(of: UInt16(payload.count + 4)) + bytes(of: UInt16(type)) + payload + padding
}

/// A message with its header.
func message(_ type: Int, flags: Int32 = 0, _ body: [UInt8]) -> [UInt8] {
    let header = nlmsghdr(
        nlmsg_len: UInt32(MemoryLayout<nlmsghdr>.size + body.count),
        nlmsg_type: UInt16(type),
        nlmsg_flags: UInt16(flags),
        nlmsg_seq: 0,
        nlmsg_pid: 0
    )
    return bytes(of: header) + body
}

extension Request {
    /// The request as a reply of the kernel about the same object, since both have the same form.
    var asReply: Reply? {
        MessageSequence(bytes).first { _ in true }
    }
}

extension Netem.Fraction {
    /// The kernel's fraction of 2^32 - 1, rounded as tc does (rint).
    init(percent: Double) {
        self = UInt32((percent / 100 * Double(UInt32.max)).rounded(.toNearestOrEven))
    }
}

extension Netem {
    /// An emulator with tc's own limit and what `change` sets.
    static func with(limit: UInt32 = 1000, _ change: (inout Netem) -> Void = { _ in }) -> Netem {
        var netem = Netem(limit: limit)
        change(&netem)
        return netem
    }
}
