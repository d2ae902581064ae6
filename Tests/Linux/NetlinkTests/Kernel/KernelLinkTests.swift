// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Netlink

@Suite(.enabled(if: NetworkNamespace.isAvailable, NetworkNamespace.need)) struct KernelLinkTests {
    @Test func listsTheLoopbackOfANewNetwork() async throws {
        let links = try await NetworkNamespace.run { try $0.links() }
        let loopback = try #require(links.first { $0.name == "lo" })
        #expect(loopback.index == 1)
        #expect(loopback.isLoopback)
        #expect(loopback.hasEthernetHeader)
        #expect(!loopback.isUp)
        #expect(loopback.kind == nil)
        #expect(loopback.alias == nil)
        #expect(loopback.mtu == 65536)
    }

    @Test func makesAnIFB() async throws {
        let alias = "linkcond eth0 uplink rule 1 profile=Slow Net \u{1F40C}"
        let (before, after) = try await NetworkNamespace.run { connection in
            try connection.perform(LinkRequest.addIFB("lane", queueLength: 1000))
            let before = try connection.link(named: "lane")
            try connection.perform(LinkRequest.disableAddressGeneration(of: "lane"))
            try connection.perform(LinkRequest.setAlias(alias, of: "lane"))
            try connection.perform(LinkRequest.setMTU(1400, of: "lane"))
            try connection.perform(LinkRequest.bringUp("lane"))
            return (before, try connection.link(named: "lane"))
        }
        #expect(before.kind == "ifb")
        #expect(before.alias == nil)
        #expect(!before.isUp)
        #expect(after.index == before.index)
        #expect(after.alias == alias)
        #expect(after.mtu == 1400)
        #expect(after.isUp)
        #expect(after.hasEthernetHeader)
        #expect(!after.isLoopback)
    }

    @Test func deletesByName() async throws {
        let (links, error) = try await NetworkNamespace.run { connection in
            try connection.perform(LinkRequest.addIFB("lane", queueLength: 1000))
            try connection.perform(LinkRequest.delete("lane"))
            do throws(NetlinkError) {
                try connection.perform(LinkRequest.delete("lane"))
                return (try connection.links(), nil as NetlinkError?)
            } catch {
                return (try connection.links(), error)
            }
        }
        #expect(!links.contains { $0.name == "lane" })
        #expect(error == NetlinkError(operation: "delete lane", code: ENODEV))
    }

    @Test func takesTheLongestNameAndAlias() async throws {
        let name = String(repeating: "n", count: LinkRequest.maximumNameLength)
        let alias = String(repeating: "a", count: LinkRequest.maximumAliasLength)
        let link = try await NetworkNamespace.run { connection in
            try connection.perform(LinkRequest.addIFB(name, queueLength: 1000))
            try connection.perform(LinkRequest.setAlias(alias, of: name))
            return try connection.link(named: name)
        }
        #expect(link.alias == alias)
    }

    @Test func refusesALongerAlias() async {
        let alias = String(repeating: "a", count: LinkRequest.maximumAliasLength + 1)
        let error = await #expect(throws: NetlinkError.self) {
            try await NetworkNamespace.run { connection in
                try connection.perform(LinkRequest.addIFB("lane", queueLength: 1000))
                try connection.perform(LinkRequest.setAlias(alias, of: "lane"))
            }
        }
        #expect(error?.code == ERANGE)
        #expect(error?.operation == "set the alias of lane")
    }

    @Test func saysThatThereIsNoSuchInterface() async throws {
        let error = await #expect(throws: NetlinkError.self) {
            try await NetworkNamespace.run { try $0.link(named: "none") }
        }
        #expect(error?.code == ENODEV)
        #expect(error?.operation == "find the interface none")
    }
}
