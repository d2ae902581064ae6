// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Testing

@testable import Netlink

@Suite struct NetemRoundTripTests {
    @Test(arguments: NetemLimits.all.indices) func readsWhatItWrites(_ index: Int) throws {
        let (name, netem) = NetemLimits.all[index]
        let qdisc = Qdisc(link: 7, parent: Handle(1, 1), handle: Handle(0x10), kind: .netem(netem))
        let reply = try #require(qdisc.add(on: "lane").asReply)
        #expect(Qdisc(reply) == qdisc, "\(name)")
    }

    @Test func readsAllButTheTableOfDelays() throws {
        let netem = Netem.with { ($0.jitter, $0.distribution) = (1000, (-2048..<2048).map { Int16($0 * 16) }) }
        let qdisc = Qdisc(link: 7, parent: .root, handle: Handle(0x10), kind: .netem(netem))
        let reply = try #require(qdisc.add(on: "lane").asReply)
        #expect(netem.readable != netem)
        #expect(Qdisc(reply)?.kind == .netem(netem.readable))
    }

    /// Linux before 4.15.
    @Test func readsTicksWhereTheKernelGivesNoNanoseconds() {
        let header = tc_netem_qopt(latency: 1_562_500, limit: 5, loss: 6, gap: 7, duplicate: 8, jitter: 312_500)
        let netem = Netem(bytes(of: header)[...])
        #expect(
            netem
                == .with(limit: 5) { netem in
                    (netem.latency, netem.jitter) = (100_000_000, 20_000_000)
                    (netem.loss, netem.gap, netem.duplicate) = (.random(6), 7, 8)
                }
        )
    }

    @Test func readsNothingFromLessThanTheHeader() {
        let header = bytes(of: tc_netem_qopt())
        for length in header.indices { #expect(Netem(header.prefix(length)) == nil) }
    }

    @Test func keepsTheOptionsOfANetemThatIsTooShort() throws {
        let body = bytes(of: tcmsg()) + attribute(TCA_KIND, Array("netem\0".utf8)) + attribute(TCA_OPTIONS, [1, 2])
        let qdisc = try #require(Qdisc(Reply(type: Int(RTM_NEWQDISC), body: body[...])))
        #expect(qdisc.kind == .other("netem", options: [1, 2]))
    }
}
