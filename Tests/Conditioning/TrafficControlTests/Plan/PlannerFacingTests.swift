// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// A profile that describes the link of the machine at the interface's other end.
@Suite struct PlannerFacingTests {
    private func request(_ facing: Facing, _ selection: String = "everything", _ profile: Profile = .slowNet)
        -> RuleRequest
    {
        var request = RuleRequest.made(profile, selection)
        request.facing = facing
        return request
    }

    private func apply(_ request: RuleRequest, _ engine: Engine, to device: inout SimulatedDevice) throws -> Plan {
        let plan = try device.planner().apply(request, engine)
        try device.carryOut(plan)
        return plan
    }

    @Test func takesThePeersUplinkWhereItArrives() throws {
        var device = SimulatedDevice.ethernet
        _ = try apply(request(.peer), .netem, to: &device)
        let hooks = device.state.rules[0].lanes.map { "\($0.name.kind.name) \($0.filter?.hook == .egress)" }
        #expect(hooks == ["dns false", "uplink false", "downlink true"])
        #expect(device.state.rules[0].facing == .peer)
        #expect(device.state.lanes.allSatisfy { $0.alias.text.contains(" facing=peer ") })
        try device.reset()
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    /// The remote end is the peer's: what the peer sends there arrives here.
    @Test func selectsByTheRemoteEndOfThePeer() throws {
        let packet = Packet.ipv4(
            .udp(from: 1000, to: 2000),
            from: Address.bytes("192.0.2.1"),
            to: Address.bytes("10.0.0.1")
        )
        for (facing, arriving) in [(Facing.host, []), (.peer, [Lane.uplink])] {
            var device = SimulatedDevice.ethernet
            _ = try apply(request(facing, "to 10.0.0.0/8", .delay(10)), .netem, to: &device)
            let matching = try device.filters.filter { filter in
                try filter.hook == .ingress && BPFInterpreter(filter.program).answer(to: packet) != 0
            }
            #expect(matching.map(\.mark.lane) == arriving)
        }
    }

    @Test func givesThePumpTheTrafficOfThePeer() throws {
        var device = SimulatedDevice.ethernet
        let plan = try apply(request(.peer), .userspace, to: &device)
        #expect(plan.taps.map(\.name) == ["lc2r1d", "lc2r1u"])
        #expect(plan.taps.map(\.traffic) == [.leaving, .arriving] && plan.taps.allSatisfy { $0.facing == .peer })
        #expect(plan.taps.map(\.address) == [nil, device.state.link.address])
        #expect(
            plan.taps[0].traffic.lanes(.peer) == [.downlink] && plan.taps[1].traffic.lanes(.peer) == [.uplink, .dns]
        )
        #expect(Set(device.passes.values) == ["lc2r1d"])
        #expect(device.state.lanesWithoutPass.isEmpty && device.state.danglingPasses.isEmpty)
        try device.reset()
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    /// The same traffic replaces the rule, and no packet is lost or conditioned twice on the way.
    @Test(arguments: Engine.allCases, Facing.allCases) func turnsRound(engine: Engine, first: Facing) throws {
        var device = SimulatedDevice.ethernet
        _ = try apply(request(first), engine, to: &device)
        let before = device.state
        let other: Facing = first == .host ? .peer : .host
        let plan = try device.planner().apply(request(other), engine)
        device.makeTaps(plan)
        for step in plan.build { try device.perform(step) }
        for step in plan.build.reversed().compactMap(\.undo) { try device.perform(step) }
        #expect(device.state.rules == before.rules)
        // Another pump makes its devices anew.
        device.makeTaps(plan)
        for step in plan.build + plan.teardown { try device.perform(step) }
        #expect(device.state.rules.map(\.facing) == [other] && device.state.orphans.isEmpty)
        #expect(device.state.danglingPasses.isEmpty && device.state.lanesWithoutPass.isEmpty)
        try device.reset()
        #expect(device.filters.isEmpty && device.passes.isEmpty && device.ifbs.isEmpty)
    }

    @Test(arguments: Engine.allCases) func refusesLoopback(engine: Engine) throws {
        let error = #expect(throws: ConditioningError.self) {
            try SimulatedDevice.loopback.planner().apply(request(.peer), engine)
        }
        #expect(error?.code == .unsupported && error?.message.contains("no other end") == true)
    }

    /// A plain ingress qdisc has room for what the peer sends.
    @Test func conditionsThePeersUplinkUnderAPlainIngressQdisc() throws {
        var device = SimulatedDevice.ethernet
        device.hook = .ingressOnly
        let before = device.state
        let uplink = request(.peer, "everything", Profile("Uplink", uplink: .delay(10)))
        for engine in Engine.allCases {
            _ = try apply(uplink, engine, to: &device)
            #expect(device.filters.map(\.hook) == [.ingress])
            try device.reset()
            #expect(device.state == before)
        }
        #expect(throws: ConditioningError.self) { try device.planner().apply(request(.peer, "everything", .blackHole)) }
    }
}
