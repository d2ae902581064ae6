// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

@Suite struct PlannerApplyTests {
    @Test func completesIfbsBeforeTheHookAndTheHookBeforeFilters() throws {
        let plan = try SimulatedDevice.ethernet.plan(.slowNet)
        let words = plan.build.map(\.command).map { $0.split(separator: " ").prefix(5).joined(separator: " ") }
        let lanes = ["lc2r1n", "lc2r1u", "lc2r1d"].flatMap { name in
            [
                "ip link add \(name) txqueuelen", "ip link set \(name) alias", "ip link set \(name) addrgenmode",
                "tc qdisc add dev \(name)", "tc qdisc add dev \(name)", "tc qdisc add dev \(name)",
                "tc filter add dev \(name)", "ip link set \(name) up",
            ]
        }
        #expect(words == lanes + ["tc qdisc add dev eth0"] + [String](repeating: "tc filter add dev eth0", count: 3))
        #expect(plan.teardown.isEmpty)
    }

    @Test func hangsLanesWhereTheirPacketsPass() throws {
        let plan = try SimulatedDevice.ethernet.plan(.slowNet)
        #expect(plan.expected.map(\.filter.hook) == [.egress, .egress, .ingress])
        #expect(plan.expected.map(\.filter.preference) == [50096, 50097, 50098])
        #expect(plan.expected.map(\.filter.target) == ["lc2r1n", "lc2r1u", "lc2r1d"])
        #expect(plan.expected.map(\.filter.mark) == [.dns, .uplink, .downlink].map { FilterMark(rule: 1, lane: $0) })
    }

    @Test func namesWhatTheKernelMustHave() throws {
        let queues: [KernelFeature] = [.netem, .tokenBucket, .priorityBands, .police, .ifb, .mirred]
        #expect(try SimulatedDevice.ethernet.plan(.slowNet).requirements == queues)
        #expect(try SimulatedDevice.ethernet.plan(.delay(100)).requirements == [.netem, .ifb, .mirred])
        #expect(try SimulatedDevice.ethernet.plan(Profile("Nothing")).requirements.isEmpty)
    }

    @Test func leavesTheKernelAsExpected() throws {
        for var device in [SimulatedDevice.ethernet, .loopback, .tunnel] {
            let plan = try device.apply(.slowNet)
            #expect(PlanComparison.differences(plan.expected, in: device.state).isEmpty)
            #expect(device.state.orphans.isEmpty)
        }
    }

    @Test func usesAHookThatIsThere() throws {
        var device = SimulatedDevice.ethernet
        device.hook = .clsact
        let plan = try device.apply(.slowNet)
        #expect(!plan.build.contains(.kernel(.addHook("eth0"))))
        #expect(device.state.rules.first?.alias?.madeHook == false)
        try device.reset()
        #expect(device.hook == .clsact)
    }

    @Test func keepsEveryLaneWhenAppliedAgain() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        let filters = device.filters
        let plan = try device.plan(.slowNet, time: 2000)
        #expect(plan.build.count == 3)
        #expect(plan.build.allSatisfy { if case .kernel(.describe) = $0 { true } else { false } })
        #expect(plan.teardown.isEmpty)
        try device.carryOut(plan)
        #expect(device.filters == filters)
        #expect(device.state.rules.map(\.number) == [1])
        #expect(device.state.rules.first?.alias?.appliedAt == 2000)
    }

    @Test func putsALaterRuleAheadOfAnEarlierOne() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        try device.apply(.delay(50), "port 443")
        try device.apply(.blackHole, "to 10.0.0.0/8")
        let rules = device.state.rules
        #expect(rules.map(\.selection.description) == ["to 10.0.0.0/8", "port 443", "everything"])
        for hook in [Handle.egress, .ingress] {
            let order = device.filters.filter { $0.hook == hook }.sorted { $0.preference < $1.preference }.map(
                \.mark.rule
            )
            #expect(order == order.sorted(by: >))
        }
        #expect(device.filters.allSatisfy { (50000...50099).contains($0.preference) })
    }

    @Test func givesTheSameSelectionTheSameRule() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        try device.apply(.delay(50), "port 443")
        let plan = try device.apply(.delay(70), "port 443")
        #expect(device.state.rules.map(\.number) == [2, 1])
        #expect(plan.expected.map(\.name.rule) == [2, 2])
    }

    @Test func conditionsNothingWhereNothingIsDescribed() throws {
        let plan = try SimulatedDevice.ethernet.plan(Profile("Nothing"))
        #expect(plan.isEmpty && plan.expected.isEmpty)
        #expect(plan.notes == ["\"Nothing\" describes no impairment: nothing is conditioned"])
    }

    /// Asked for by name, netem comes as close as it can; otherwise the other engine is the better one.
    @Test func saysWhereBytesBecomePackets() throws {
        var profile = Profile("Bytes", uplink: .rate(8000))
        profile.uplink?.queue = .bytes(64000)
        #expect(try SimulatedDevice.ethernet.plan(profile).notes == [])
        profile.uplink?.loss = .random(.percent(1))
        profile.uplink?.duplicate = .percent(1)
        var request = RuleRequest.made(profile)
        let reason = "duplicates together with a rate and loss, jitter or reordering (uplink)"
        let refusal = #expect(throws: ConditioningError.self) {
            try SimulatedDevice.ethernet.planner().apply(request, .netem)
        }
        #expect(refusal?.code == .unsupported && refusal?.message.hasSuffix(reason) == true)
        request.engine = .netem
        let plan = try SimulatedDevice.ethernet.planner().apply(request, .netem)
        let note = "netem's queue counts packets, those in flight too, and each as a full-size one, because of "
        #expect(plan.notes == [note + reason])
        #expect(!plan.requirements.contains(.police))
    }

    @Test func countsPacketsWhereTheKernelCannotCountBytes() throws {
        var request = RuleRequest.made(.slowNet)
        request.engine = .netem
        let plan = try SimulatedDevice.ethernet.planner().withoutPolicers.apply(request, .netem)
        #expect(plan.requirements == [.netem, .tokenBucket, .ifb, .mirred])
        #expect(plan.expected.compactMap { $0.lane?.netem.limit } == [17, 17, 17])
        #expect(plan.notes.count == 1 && plan.notes.allSatisfy { $0.contains("needs sch_prio and act_police") })
    }

    @Test func countsTheMissingHeaderOnDevicesWithoutOne() throws {
        let plan = try SimulatedDevice.tunnel.plan(.slowNet)
        #expect(plan.expected.allSatisfy { $0.lane?.netem.rate.packetOverhead == 14 })
        let filter = try #require(plan.expected.first?.filter)
        let interpreter = try BPFInterpreter(filter.program)
        #expect(interpreter.answer(to: .ipv4(.udp(from: 40000, to: 53)), networkOffset: 0) == .max)
    }
}
