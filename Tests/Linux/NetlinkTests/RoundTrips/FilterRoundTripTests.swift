// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Testing

@testable import Netlink

@Suite struct FilterRoundTripTests {
    private static let program = [
        BPFInstruction(code: 0x28, constant: 12),
        BPFInstruction(code: 0x15, jumpTrue: 1, jumpFalse: 255, constant: 0x86DD),
        BPFInstruction(code: 0x06, constant: .max),
        BPFInstruction(code: .max, jumpTrue: .max, jumpFalse: .max, constant: .max),
    ]

    @Test(arguments: [[], [0], Array(0...15)] as [[UInt8]]) func readsWhatItWrites(_ cookie: [UInt8]) throws {
        let redirect = RedirectFilter(
            link: 7,
            hook: .ingress,
            preference: .max,
            cookie: cookie,
            program: Self.program,
            target: .max
        )
        let reply = try #require(redirect.add(on: "eth0").asReply)
        let filter = try #require(Filter(reply, hook: .ingress))
        #expect(filter.link == 7)
        #expect(filter.hook == .ingress)
        #expect(filter.preference == .max)
        #expect(filter.kind == "bpf")
        #expect(filter.name == nil)
        #expect(filter.cookie == cookie)
        #expect(filter.program == Self.program)
        #expect(filter.target == .max)
        #expect(filter.matchedPackets == 0)
    }

    @Test func ignoresTheListingOfAPreference() throws {
        let body = bytes(of: tcmsg()) + attribute(TCA_KIND, Array("bpf\0".utf8))
        #expect(Filter(Reply(type: Int(RTM_NEWTFILTER), body: body[...]), hook: .egress) == nil)
        #expect(Filter(Reply(type: Int(RTM_NEWQDISC), body: body[...]), hook: .egress) == nil)
    }

    @Test func readsAnotherKindWithoutGuessing() throws {
        var header = tcmsg()
        header.tcm_handle = 1
        header.tcm_info = 49152 << 16
        // The same number means another thing in each kind.
        let options = attribute(TCA_BPF_ACT, [1, 2, 3, 4]) + attribute(TCA_BPF_NAME, Array("name\0".utf8))
        let body = bytes(of: header) + attribute(TCA_KIND, Array("flower\0".utf8)) + attribute(TCA_OPTIONS, options)
        let filter = try #require(Filter(Reply(type: Int(RTM_NEWTFILTER), body: body[...]), hook: .egress))
        #expect(filter.kind == "flower")
        #expect(filter.preference == 49152)
        #expect(filter.name == nil)
        #expect(filter.program.isEmpty)
        #expect(filter.target == nil)
    }

    @Test(arguments: [nil, 5_000_000_000] as [UInt64?]) func countsPackets(_ long: UInt64?) throws {
        let basic = bytes(of: UInt64(9000)) + bytes(of: UInt32(6)) + [0, 0, 0, 0]
        var statistics = attribute(Int(TCA_STATS_BASIC), basic)
        if let long { statistics += attribute(Int(TCA_STATS_PKT64), bytes(of: long)) }
        let action = attribute(TCA_ACT_KIND, Array("mirred\0".utf8)) + attribute(Int(TCA_ACT_STATS), statistics)
        var header = tcmsg()
        header.tcm_handle = 1
        let body =
            bytes(of: header) + attribute(TCA_KIND, Array("bpf\0".utf8))
            + attribute(TCA_OPTIONS, attribute(TCA_BPF_ACT, attribute(1, action)))
        let filter = try #require(Filter(Reply(type: Int(RTM_NEWTFILTER), body: body[...]), hook: .egress))
        #expect(filter.matchedPackets == long ?? 6)
    }

    @Test func describesInstructionsAsTcTakesThem() {
        #expect(
            Self.program.map(\.description) == [
                "40 0 0 12", "21 1 255 34525", "6 0 0 4294967295", "65535 255 255 4294967295",
            ]
        )
    }
}
