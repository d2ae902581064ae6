// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Sandboxing

/// The address that a host gets in place of another.
@Suite struct NextAddressTests {
    @Test(arguments: [
        ("10.0.2.100", 24, [], "10.0.2.101"),
        ("10.0.2.100", 24, ["10.0.2.101", "10.0.2.102"], "10.0.2.103"),
        // Neither the network's own nor that of all its hosts.
        ("10.0.2.254", 24, [], "10.0.2.1"), ("10.0.2.254", 24, ["10.0.2.1"], "10.0.2.2"),
        ("192.0.2.5", 30, [], "192.0.2.6"), ("192.0.2.6", 30, [], "192.0.2.5"),
        ("10.1.255.255", 8, [], "10.1.0.1"),
        ("fd00::10e2:dbff:fe29:390c", 64, [], "fd00::10e2:dbff:fe29:390d"),
        ("fd00::ffff", 64, [], "fd00::1"),
    ])
    func isAnotherOfTheSameNetwork(old: String, length: UInt8, others: [String], new: String) throws {
        let address = try #require(IPAddress(old))
        let avoided = others.compactMap { IPAddress($0) }
        #expect(address.next(prefixLength: length, avoiding: avoided)?.description == new)
    }

    @Test(arguments: [
        ("192.0.2.5", 32, []), ("192.0.2.4", 31, []), ("192.0.2.5", 30, ["192.0.2.6"]), ("2001:db8::1", 128, []),
    ])
    func isNoneWhereThereIsNoOther(old: String, length: UInt8, others: [String]) throws {
        let address = try #require(IPAddress(old))
        #expect(address.next(prefixLength: length, avoiding: others.compactMap { IPAddress($0) }) == nil)
    }
}
