// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Netlink

@Suite(.enabled(if: NetworkNamespace.isAvailable, NetworkNamespace.need)) struct KernelFilterTests {
    private static let everything = [BPFInstruction(code: 0x06, constant: .max)]
    private static let nothing = [
        BPFInstruction(code: 0x28, constant: 12),
        BPFInstruction(code: 0x15, jumpTrue: 1, jumpFalse: 0, constant: 0x0800),
        BPFInstruction(code: 0x06, constant: 0),
        BPFInstruction(code: 0x06, constant: 0),
    ]

    /// A filter from lo's hook to the ifb "lane", which it makes together with "other".
    private static func prepare(_ connection: RouteConnection, _ hook: Handle) throws -> RedirectFilter {
        for name in ["lane", "other"] {
            try connection.perform(LinkRequest.addIFB(name, queueLength: 1000))
            try connection.perform(LinkRequest.bringUp(name))
        }
        try connection.perform(Qdisc.clsact(on: 1).add(on: "lo"))
        return RedirectFilter(
            link: 1,
            hook: hook,
            preference: 50097,
            cookie: Array(0...15),
            program: everything,
            target: try connection.link(named: "lane").index
        )
    }

    @Test(arguments: [Handle.ingress, .egress]) func keepsARedirection(_ hook: Handle) async throws {
        let (redirect, filters, others) = try await NetworkNamespace.run { connection in
            let redirect = try Self.prepare(connection, hook)
            try connection.perform(redirect.add(on: "lo"))
            return (
                redirect, try connection.filters(on: 1, hook: hook),
                try connection.filters(on: 1, hook: hook == .egress ? .ingress : .egress)
            )
        }
        let filter = try #require(filters.first)
        #expect(filters.count == 1)
        #expect(others.isEmpty)
        #expect(filter.link == 1)
        #expect(filter.hook == hook)
        #expect(filter.preference == 50097)
        #expect(filter.kind == "bpf")
        #expect(filter.cookie == redirect.cookie)
        #expect(filter.program == redirect.program)
        #expect(filter.target == redirect.target)
        #expect(filter.matchedPackets == 0)
    }

    @Test(arguments: [Handle.ingress, .egress]) func acceptsPacketsRedirectedFromADevice(_ hook: Handle) async throws {
        let (during, after) = try await NetworkNamespace.run { connection in
            _ = try Self.prepare(connection, hook)
            let pass = PassFilter(link: 1, hook: hook, preference: 49_900, source: "lane", flow: Handle(0x6C63, 1))
            try connection.perform(pass.add(on: "lo"))
            let during = try connection.filters(on: 1, hook: hook)
            try connection.perform(pass.delete(from: "lo"))
            return (during, try connection.filters(on: 1, hook: hook))
        }
        #expect(during.map(\.flow) == [Handle(0x6C63, 1)] && during.map(\.preference) == [49_900])
        #expect(after.isEmpty)
    }

    @Test func redirectsIntoADevice() async throws {
        let (target, filters) = try await NetworkNamespace.run { connection in
            var redirect = try Self.prepare(connection, .ingress)
            redirect.arrivesAtTarget = true
            try connection.perform(redirect.add(on: "lo"))
            return (redirect.target, try connection.filters(on: 1, hook: .ingress))
        }
        #expect(filters.map(\.target) == [target])
    }

    @Test func replacesARedirectionInItsPlace() async throws {
        let (redirect, filters) = try await NetworkNamespace.run { connection in
            var redirect = try Self.prepare(connection, .egress)
            try connection.perform(redirect.add(on: "lo"))
            redirect.target = try connection.link(named: "other").index
            redirect.program = Self.nothing
            redirect.cookie = [7]
            try connection.perform(redirect.replace(on: "lo"))
            return (redirect, try connection.filters(on: 1, hook: .egress))
        }
        #expect(filters.count == 1)
        #expect(filters.first?.target == redirect.target)
        #expect(filters.first?.program == redirect.program)
        #expect(filters.first?.cookie == [7])
    }

    @Test func refusesASecondOfThePreference() async {
        let error = await #expect(throws: NetlinkError.self) {
            try await NetworkNamespace.run { connection in
                let redirect = try Self.prepare(connection, .egress)
                try connection.perform(redirect.add(on: "lo"))
                try connection.perform(redirect.add(on: "lo"))
            }
        }
        #expect(error?.code == EEXIST)
        #expect(error?.operation == "add filter 50097 to egress of lo")
    }

    @Test func deletesOneAndLeavesTheOther() async throws {
        let filters = try await NetworkNamespace.run { connection in
            var redirect = try Self.prepare(connection, .egress)
            try connection.perform(redirect.add(on: "lo"))
            redirect.preference = 50098
            try connection.perform(redirect.add(on: "lo"))
            redirect.preference = 50097
            try connection.perform(redirect.delete(from: "lo"))
            return try connection.filters(on: 1, hook: .egress)
        }
        #expect(filters.map(\.preference) == [50098])
    }

    @Test func listsNoFiltersWithoutAHook() async throws {
        let filters = try await NetworkNamespace.run { try $0.filters(on: 1, hook: .egress) }
        #expect(filters.isEmpty)
    }
}
