// SPDX-License-Identifier: Apache-2.0

@testable import Netlink

extension Link {
    /// What a device is (`ARPHRD_` in linux/if_arp.h).
    enum Hardware: UInt16 {
        case ethernet = 1
        case loopback = 772
        case none = 0xFFFE
    }

    /// An interface as the kernel would describe it: RTM_NEWLINK, rtnetlink(7).
    static func made(
        _ index: Int32,
        _ name: String,
        hardware: Hardware = .ethernet,
        mtu: UInt32 = 1500,
        kind: String? = nil,
        portKind: String? = nil,
        alias: String? = nil,
        isUp: Bool = true
    ) -> Link {
        var body = words(UInt32(hardware.rawValue) << 16, UInt32(index), isUp ? 1 : 0, 0)
        body += attribute(3, Array(name.utf8) + [0]) + attribute(4, words(mtu))
        let facts =
            (kind.map { attribute(1, Array($0.utf8) + [0]) } ?? [])
            + (portKind.map { attribute(4, Array($0.utf8) + [0]) } ?? [])
        if !facts.isEmpty { body += attribute(18, facts) }
        if let alias { body += attribute(20, Array(alias.utf8) + [0]) }
        guard let link = Link(Reply(type: 16, body: body[...])) else { preconditionFailure("no link in \(body)") }
        return link
    }

    private static func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    }

    private static func attribute(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
        return words(UInt32(type) << 16 | UInt32(payload.count + 4)) + payload + padding
    }
}
