// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Testing

@testable import Netlink

@Suite struct LinkRequestTests {
    private func expect(_ request: Request, _ type: Int, flags: Int32, _ body: [UInt8]) {
        #expect(request.bytes == message(type, flags: NLM_F_REQUEST | NLM_F_ACK | flags, body))
    }

    private func text(_ type: Int, _ text: String) -> [UInt8] {
        attribute(type, Array(text.utf8) + [0])
    }

    /// libnl marks what it nests (NLA_F_NESTED).
    private func nest(_ type: Int, _ attributes: [UInt8]) -> [UInt8] {
        attribute(type | 0x8000, attributes)
    }

    private let header = bytes(of: ifinfomsg())
    private let name = attribute(Int(IFLA_IFNAME), Array("lc2r1u\0".utf8))

    @Test func createsAnIFBWithItsQueueLength() {
        expect(
            LinkRequest.addIFB("lc2r1u", queueLength: 1000),
            Int(RTM_NEWLINK),
            flags: NLM_F_CREATE | NLM_F_EXCL,
            header + attribute(Int(IFLA_TXQLEN), [0xE8, 0x03, 0, 0]) + name
                + nest(Int(IFLA_LINKINFO), text(Int(IFLA_INFO_KIND), "ifb"))
        )
    }

    /// A terminating zero would be part of the alias, and make the longest one too long.
    @Test func writesAnAliasAsItIs() {
        let alias = "linkcond eth0 uplink rule 1 profile=Zug \u{1F686} \"3G\""
        expect(
            LinkRequest.setAlias(alias, of: "lc2r1u"),
            Int(RTM_NEWLINK),
            flags: 0,
            header + name + attribute(Int(IFLA_IFALIAS), Array(alias.utf8))
        )
    }

    @Test func disablesAddresses() {
        // IN6_ADDR_GEN_MODE_NONE is 1, in one byte; AF_INET6 is 10.
        let internet = nest(10, attribute(Int(IFLA_INET6_ADDR_GEN_MODE), [1]))
        expect(
            LinkRequest.disableAddressGeneration(of: "lc2r1u"),
            Int(RTM_NEWLINK),
            flags: 0,
            header + name + nest(Int(IFLA_AF_SPEC), internet)
        )
    }

    @Test func changesOnlyTheFlagThatBringsUp() {
        var header = ifinfomsg()
        header.ifi_flags = 1
        header.ifi_change = 1
        expect(LinkRequest.bringUp("lc2r1u"), Int(RTM_NEWLINK), flags: 0, bytes(of: header) + name)
    }

    @Test func deletesByName() {
        expect(LinkRequest.delete("lc2r1u"), Int(RTM_DELLINK), flags: 0, header + name)
    }

    @Test func saysWhatItDoes() {
        #expect(LinkRequest.addIFB("lc2r1u", queueLength: 1000).operation == "add ifb lc2r1u")
        #expect(LinkRequest.setMTU(1500, of: "lo").operation == "set the MTU of lo to 1500")
    }
}
