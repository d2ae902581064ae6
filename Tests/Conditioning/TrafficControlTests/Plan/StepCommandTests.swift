// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import TrafficControl

@Suite struct OperationCommandTests {
    private static let filter = LaneFilter(
        device: "eth0",
        hook: .egress,
        preference: 50096,
        mark: FilterMark(rule: 1, lane: .uplink),
        program: [BPFInstruction(code: 0x20, constant: 12), BPFInstruction(code: 0x06, constant: .max)],
        target: "lc2r1u"
    )

    @Test(
        arguments: [
            (.kernel(.addIFB("lc2r1u")), "ip link add lc2r1u txqueuelen 1000 type ifb"),
            (.kernel(.disableAddresses("lc2r1u")), "ip link set lc2r1u addrgenmode none"),
            (.kernel(.describe("lc2r1u", alias: "a b", previous: nil)), "ip link set lc2r1u alias 'a b'"),
            (.kernel(.describe("lc2r1u", alias: "it's", previous: nil)), "ip link set lc2r1u alias 'its'"),
            (.kernel(.bringUp("lc2r1u")), "ip link set lc2r1u up"),
            (.kernel(.addHook("eth0")), "tc qdisc add dev eth0 clsact"),
            (.kernel(.deleteHook("eth0")), "tc qdisc del dev eth0 clsact"),
            (.kernel(.deleteFilter(filter)), "tc filter del dev eth0 egress pref 50096 protocol all handle 1 bpf"),
            (.drain(.ifb("lc2r1u"), atMost: .milliseconds(1500)), "# wait until lc2r1u holds no packet, 1.5 s at most"),
            (.kernel(.deleteDevice("lc2r1u")), "ip link del lc2r1u"),
            (.kernel(.setMTU("lo", 1500, previous: 65536)), "ip link set lo mtu 1500"),
            (.kernel(.deleteRootQdisc("eth0")), "tc qdisc del dev eth0 root handle 4c43:"),
            (.drain(.root("eth0"), atMost: .seconds(1)), "# wait until eth0 holds no packet, 1 s at most"),
        ] as [(PlanStep, String)]
    )
    func saysTheSameInTheWordsOfIproute2(operation: PlanStep, command: String) {
        #expect(operation.command == command)
    }

    /// The alias is one word for the shell, regardless of the profile's name.
    @Test func endsTheQuotesOfAnAliasOnce() {
        let command = PlanStep.kernel(.describe("lc2r1u", alias: "a'\u{301}; b'", previous: nil)).command
        #expect(command.unicodeScalars.count { $0 == "'" } == 2)
    }

    @Test func writesAFiltersProgram() {
        let words =
            "dev eth0 egress pref 50096 protocol all handle 1 bpf skip_hw bytecode '2,32 0 0 12,6 0 0 4294967295' "
            + "action mirred egress redirect dev lc2r1u cookie 6c696e6b636f6e640175"
        #expect(PlanStep.kernel(.addFilter(Self.filter)).command == "tc filter add \(words)")
        #expect(
            PlanStep.kernel(.replaceFilter(Self.filter, previous: Self.filter)).command == "tc filter replace \(words)"
        )
    }

    @Test func writesTheRootQdisc() {
        let qdisc = Qdisc(link: 0, parent: .root, handle: LaneQdiscs.rootHandle, kind: .netem(Netem(limit: 17)))
        let words = "dev eth0 root handle 4c43: netem limit 17"
        #expect(PlanStep.kernel(.addRootQdisc("eth0", qdisc)).command == "tc qdisc add \(words)")
        #expect(PlanStep.kernel(.changeRootQdisc("eth0", qdisc, previous: qdisc)).command == "tc qdisc change \(words)")
    }

    private static func netem(_ change: (inout Netem) -> Void) -> String {
        var netem = Netem(limit: 17)
        change(&netem)
        let qdisc = Qdisc(link: 0, parent: .root, handle: Handle(0x10), kind: .netem(netem))
        return PlanStep.kernel(.addQdisc("lc2r1u", qdisc)).command
    }

    @Test func writesNetem() {
        let start = "tc qdisc add dev lc2r1u root handle 10: netem limit 17"
        #expect(Self.netem { _ in } == start)
        #expect(Self.netem { $0.latency = 100_000_000 } == "\(start) delay 100ms")
        #expect(Self.netem { $0.jitter = 1_500_000 } == "\(start) delay 0ms 1.5ms")
        #expect(
            Self.netem {
                $0.latency = 50_000_000
                $0.jitter = 20_000_000
                $0.distribution = [0]
            } == "\(start) delay 50ms 20ms distribution normal"
        )
        #expect(Self.netem { $0.loss = .random(.max) } == "\(start) loss random 100.0%")
        #expect(
            Self.netem { $0.loss = .gilbertElliott(p: .max, r: 0, lossInBad: .max, lossInGood: 0) }
                == "\(start) loss gemodel 100.0% 0.0% 100.0% 0.0%"
        )
        #expect(
            Self.netem { $0.loss = .fourState(p13: .max, p31: 0, p32: 0, p14: 0, p23: .max) }
                == "\(start) loss state 100.0% 0.0% 0.0% 100.0% 0.0%"
        )
        #expect(
            Self.netem {
                $0.duplicate = .max
                $0.corrupt = .max
                $0.reorder = .max
                $0.gap = 5
            } == "\(start) duplicate 100.0% corrupt 100.0% reorder 100.0% gap 5"
        )
        #expect(
            Self.netem {
                $0.rate = Netem.Rate(bytesPerSecond: 4000, packetOverhead: -4, cellSize: 48, cellOverhead: 5)
                $0.seed = 9
            } == "\(start) rate 32000bit -4 48 5 seed 9"
        )
    }

    @Test func writesTheSplitterAndItsChild() {
        let bucket = Qdisc(
            link: 0,
            parent: .root,
            handle: Handle(1),
            kind: .tokenBucket(TokenBucket(bytesPerSecond: 3_750_000_000, burst: 1522, limit: 1522))
        )
        #expect(
            PlanStep.kernel(.addQdisc("lc2r1u", bucket)).command
                == "tc qdisc add dev lc2r1u root handle 1: tbf rate 30000000000bit burst 1522 limit 1522"
        )
        let child = Qdisc(link: 0, parent: Handle(1, 1), handle: Handle(0x10), kind: .netem(Netem(limit: 2)))
        #expect(
            PlanStep.kernel(.addQdisc("lc2r1u", child)).command
                == "tc qdisc add dev lc2r1u parent 1:1 handle 10: netem limit 2"
        )
    }

    @Test func showsTheQueueAsAPolicer() {
        let bands = Qdisc(link: 0, parent: Handle(1, 1), handle: Handle(0x20), kind: .priorityBands(PriorityBands()))
        #expect(
            PlanStep.kernel(.addQdisc("lc2r1u", bands)).command
                == "tc qdisc add dev lc2r1u parent 1:1 handle 20: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
        )
        let policer = Policer(bytesPerSecond: 125_000, packetOverhead: 14, usesATMCells: true, burst: 4_687_500)
        #expect(
            PlanStep.kernel(.addPolicer("lc2r1u", policer)).command
                == "tc filter add dev lc2r1u parent 20: pref 1 protocol all handle 1 bpf skip_hw "
                + "bytecode '1,6 0 0 4294967295' action police rate 1000000bit burst 37500 mtu 1048576 overhead 14 "
                + "linklayer atm conform-exceed drop/ok"
        )
    }
}
