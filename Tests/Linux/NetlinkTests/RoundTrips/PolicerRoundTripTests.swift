// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Testing

@testable import Netlink

@Suite struct PolicerRoundTripTests {
    @Test(arguments: [1, 4000, 3_750_000_000, UInt64(UInt32.max), 5_000_000_000] as [UInt64])
    func readsWhatItWrites(_ rate: UInt64) throws {
        for (overhead, usesCells, burst) in [(0, false, 1), (14, true, 4_687_500), (.max, false, .max)]
            as [(UInt16, Bool, UInt32)]
        {
            let policer = Policer(
                bytesPerSecond: rate,
                packetOverhead: overhead,
                usesATMCells: usesCells,
                burst: burst
            )
            let reply = try #require(policer.add(to: Handle(0x20), of: 7, on: "lane").asReply)
            let read = try #require(Filter(reply, hook: Handle(0x20)))
            #expect(read.policer == policer)
            #expect(read.link == 7 && read.preference == Policer.preference && read.kind == "bpf")
            #expect(read.program == .matchAll && read.target == nil)
        }
    }

    @Test func readsTheBandsThatItWrites() throws {
        let bands = PriorityBands(bands: 3, map: Array(0...15))
        let qdisc = Qdisc(link: 7, parent: Handle(1, 1), handle: Handle(0x20), kind: .priorityBands(bands))
        #expect(Qdisc(try #require(qdisc.add(on: "lane").asReply)) == qdisc)
        #expect(PriorityBands([0, 0, 0]) == nil)
    }
}
