// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import LinkConditioning
@testable import TrafficControl

/// How traffic is led through a pump and back, on a device that refuses what would lose or circle packets.
@Suite struct PlannerDetourTests {
    @Test func leadsBothDirectionsOfEthernetThereAndBack() throws {
        var device = SimulatedDevice.ethernet
        let plan = try device.apply(.slowNet, "port 443", engine: .userspace)
        #expect(plan.taps.map(\.name) == ["lc2r1u", "lc2r1d"])
        #expect(plan.taps.map(\.traffic) == [.leaving, .arriving])
        #expect(plan.taps.map(\.mtu) == [1500, 1500])
        // What is to arrive has to find the device's own address; what leaves finds any.
        #expect(plan.taps.map(\.address) == [nil, device.state.link.address])
        #expect(plan.requirements == [.mirred])
        #expect(device.filters.map(\.target) == ["lc2r1u", "lc2r1d"])
        #expect(device.filters.map(\.hook) == [.egress, .ingress])
        #expect(device.state.rules.map(\.isPumped) == [true])
    }

    /// Packets that come back by the egress hook must meet the filter that lets them pass first, and it is in no other's
    /// place.
    @Test func letsPassWhatComesBackAheadOfWhatLeadsAway() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, "port 1", engine: .userspace)
        try device.apply(.slowNet, "port 2", engine: .netem)
        try device.apply(.slowNet, "port 3", engine: .userspace)
        #expect(device.passes.count == 2)
        for (pass, tap) in device.passes {
            #expect(device.filters.allSatisfy { $0.preference > pass.preference } && LaneName(tap)?.rule == pass.rule)
        }
    }

    @Test func leadsLoopbackThroughOneDevice() throws {
        var device = SimulatedDevice.loopback
        let plan = try device.apply(.slowNet, engine: .userspace)
        #expect(plan.taps.map(\.traffic) == [.loopback])
        #expect(device.passes.isEmpty && device.filters.map(\.hook) == [.egress])
        // Packets come back without the route they left with.
        #expect(device.settings == .admitting)
    }

    @Test(arguments: [SimulatedDevice.ethernet, .loopback])
    func canBeUndoneStepByStep(bare: SimulatedDevice) throws {
        var device = bare
        let plan = try device.apply(.slowNet, engine: .userspace)
        for step in plan.build.reversed().compactMap(\.undo) { try device.perform(step) }
        #expect(device.filters.isEmpty && device.passes.isEmpty && device.hook == .none)
        #expect(device.mtu == bare.mtu && device.settings == bare.settings)
    }

    @Test func changesConditionsInPlace() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        let filters = device.filters
        // The uplink, which it leaves alone, keeps its way for what comes next.
        let plan = try device.apply(.blackHole, time: 1001, engine: .userspace)
        #expect(plan.taps.isEmpty && plan.retire.isEmpty && device.filters == filters)
        #expect(device.conditions["lc2r1u"]?.map(\.name) == ["Black Hole"])
        #expect(device.state.rules.first?.tag?.profile == "Black Hole")
        for step in plan.build.reversed().compactMap(\.undo) { try device.perform(step) }
        #expect(device.conditions["lc2r1u"] == [])
    }

    /// Where other rules are, the latest that says something of a direction has it.
    @Test func leavesADirectionToOtherRules() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, "port 1", engine: .userspace)
        #expect(try device.plan(.blackHole, "port 1", time: 1001, engine: .userspace).taps.isEmpty)
        try device.apply(.slowNet, engine: .userspace)
        try device.apply(.blackHole, time: 1001, engine: .userspace)
        #expect(device.filters.map(\.target).sorted() == ["lc2r1d", "lc2r1u", "lc2r2d"] && device.passes.count == 1)
        #expect(device.conditions["lc2r2d"]?.map(\.name) == ["Black Hole"])
        // A pump cannot get another way: a new one takes its place.
        let anew = try device.apply(.slowNet, time: 1002, engine: .userspace)
        #expect(anew.taps.map(\.name) == ["lc2r2u1", "lc2r2d1"] && device.passes.count == 2)
    }

    /// What a replaced pump leaves must not take the way back of the one in its place along.
    @Test func mendsWhatIsLeftOfAPumpThatWasReplaced() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, "port 1", engine: .userspace)
        try device.apply(Profile("Up", uplink: .delay(10)), "port 2", engine: .userspace)
        let plan = try device.plan(.slowNet, "port 2", time: 1001, engine: .userspace)
        device.makeTaps(plan)
        for step in plan.build { try device.perform(step) }
        #expect(device.state.orphans.map(\.name.description) == ["lc2r2u"] && device.passes.count == 3)
        var repair = Repair(.absent, device.state, now: .zero, isAlive: { _ in false }, makerIsAlive: { _ in false })
        for step in device.planner().repair(repair).retire { try device.perform(step) }
        #expect(device.state.orphans.isEmpty && device.passes.values.contains("lc2r2u1"))
        repair = Repair(.absent, device.state, now: .zero, isAlive: { _ in false }, makerIsAlive: { _ in false })
        #expect(repair.isEmpty)
    }

    @Test func refusesToConditionAPumpsOwnDevice() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        let tap = try #require(device.state.rules.first?.lanes.first?.link)
        var state = SimulatedDevice.ethernet.state
        state.link = tap
        let error = #expect(throws: ConditioningError.self) {
            try Planner(state, SimulatedDevice.kernel).apply(.made(.slowNet), .userspace)
        }
        #expect(error?.message.contains("carries the conditions of another interface") == true)
    }

    /// Whatever comes back from the pump until it is empty must be let pass, and not meet the lanes of netem.
    @Test func changesTheEngineWithoutConditioningTwice() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        let plan = try device.plan(.slowNet, time: 1001)
        device.makeTaps(plan)
        for step in plan.build { try device.perform(step) }
        #expect(device.passes.count == 1)
        let retired = plan.retire.map { step -> String in
            switch step {
            case .drain(.pump, _): "drain"
            case .kernel(.deletePass): "pass"
            case .kernel(.deleteDevice): "device"
            default: "other"
            }
        }
        #expect(retired == ["drain", "drain", "pass", "device", "device"])
        for step in plan.retire { try device.perform(step) }
        #expect(device.passes.isEmpty && device.state.rules.map(\.isPumped) == [false])
        try device.apply(.slowNet, time: 1002, engine: .userspace)
        #expect(device.passes.count == 1 && device.state.rules.map(\.isPumped) == [true])
    }

    /// The hook stays as long as a filter is needed there, and the devices as long as something is to be remembered.
    @Test func takesItAwayInTheOrderInWhichNothingIsLost() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        try device.reset()
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    /// A pump that was killed takes its devices with it; its filters then drop what they pick.
    @Test func takesAwayTheFiltersOfAPumpThatIsGone() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        device.ifbs = [:]
        #expect(device.state.hasDangling)
        var memory = Planner.Memory()
        memory.madeHook = true
        let planner = Planner(device.state, SimulatedDevice.kernel, memory: memory)
        for step in planner.reset().retire { try device.perform(step) }
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    @Test func refusesDevicesThatWouldLosePackets() throws {
        let error = #expect(throws: ConditioningError.self) {
            try SimulatedDevice.tunnel.plan(.slowNet, engine: .userspace)
        }
        #expect(error?.message.contains("no Ethernet header") == true)
        let port = SimulatedDevice(3, "eth1", portKind: "bridge")
        let second = #expect(throws: ConditioningError.self) { try port.plan(.slowNet, engine: .userspace) }
        #expect(second?.message.contains("port of a bridge") == true && second?.remedy != nil)
        #expect(throws: Never.self) { try port.plan(.slowNet) }
    }

    /// A sender with a group address there is not: what bears one has been to a pump, of this rule or another.
    @Test(arguments: Engine.allCases) func picksNothingThatWasWrittenBack(engine: Engine) throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: engine)
        let filter = try #require(device.filters.first { $0.hook == .ingress })
        #expect(filter.program.contains(BPFInstruction(code: 0x54, constant: 1)))
    }

    @Test func leavesWhatAsksNothingAlone() throws {
        let plan = try SimulatedDevice.ethernet.plan(Profile(name: "Nothing"), engine: .userspace)
        #expect(plan.isEmpty && plan.taps.isEmpty && plan.notes.count == 1)
    }
}
