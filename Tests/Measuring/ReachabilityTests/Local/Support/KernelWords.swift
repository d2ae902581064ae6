// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import Netlink

/// What the kernel would say, for tests without one: bodies as in rtnetlink(7).
enum KernelWords {
    static func link(
        _ index: Int32,
        _ name: String,
        kind: String? = nil,
        alias: String? = nil,
        hardware: UInt16 = 1,
        isUp: Bool = true,
        hasCarrier: Bool = true,
        carrierChanges: UInt32 = 1,
        state: LinkStatus.OperationalState = .unknown,
        master: UInt32? = nil
    ) -> LinkStatus {
        var body = words(UInt32(hardware) << 16, UInt32(index), (isUp ? 1 : 0) | (hardware == 772 ? 8 : 0), 0)
        body += attribute(3, Array(name.utf8) + [0]) + attribute(4, words(1500))
        body += attribute(16, [state.rawValue]) + attribute(33, [hasCarrier ? 1 : 0])
        body += attribute(35, words(carrierChanges))
        if let master { body += attribute(10, words(master)) }
        if let kind { body += attribute(18, attribute(1, Array(kind.utf8) + [0])) }
        if let alias { body += attribute(20, Array(alias.utf8) + [0]) }
        return made(LinkStatus(Reply(type: 16, body: body[...])))
    }

    static func address(
        _ index: UInt32,
        _ text: String,
        prefixLength: UInt8 = 24,
        scope: InterfaceAddress.Scope = .global,
        flags: InterfaceAddress.Flags = []
    ) -> InterfaceAddress {
        let address = made(IPAddress(text))
        var body = [address.family.number, prefixLength, 0, scope.rawValue] + words(index)
        body += attribute(1, address.bytes) + attribute(8, words(flags.rawValue))
        return made(InterfaceAddress(body[...]))
    }

    static func route(
        _ text: String,
        prefixLength: UInt8 = 24,
        over index: UInt32?,
        via gateway: String? = nil,
        metric: UInt32 = 0,
        kind: Route.Kind = .unicast,
        table: UInt8 = 254,
        flags: UInt32 = 0
    ) -> Route {
        let address = made(IPAddress(text))
        var body = [address.family.number, prefixLength, 0, 0, table, 3, 0, kind.rawValue] + words(flags)
        body += attribute(1, address.bytes) + attribute(6, words(metric))
        if let index { body += attribute(4, words(index)) }
        if let gateway { body += attribute(5, made(IPAddress(gateway)).bytes) }
        return made(Route(body[...]))
    }

    private static func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    }

    private static func attribute(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
        return words(UInt32(type) << 16 | UInt32(payload.count + 4)) + payload + padding
    }

    private static func made<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("malformed words of the kernel") }
        return value
    }
}
