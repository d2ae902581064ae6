// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

/// What an interrupted or a killed pump leaves, and the plan that repairs it.
@Suite struct PumpRepairTests {
    /// Removing the lanes of a replaced pump must not remove the pass of its successor.
    @Test func repairsTheRemainsOfAPumpThatWasReplaced() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, "port 1", engine: .userspace)
        try device.apply(Profile("Up", uplink: .delay(10)), "port 2", engine: .userspace)
        // A pump that ends loses its devices one by one.
        device.filters.removeAll { $0.target == "lc2r2d" }
        device.ifbs["lc2r2d"] = nil
        let plan = try device.plan(.slowNet, "port 2", time: 1001, engine: .userspace)
        device.makeTaps(plan)
        for step in plan.build { try device.perform(step) }
        #expect(device.state.orphans.map(\.name.description) == ["lc2r2u"] && device.passes.count == 3)
        var repair = Repair(.absent, device.state, now: .zero, isAlive: { _ in false }, makerIsAlive: { _ in false })
        for step in try device.planner().repair(repair).teardown { try device.perform(step) }
        #expect(device.state.orphans.isEmpty && device.passes.values.contains("lc2r2u1"))
        repair = Repair(.absent, device.state, now: .zero, isAlive: { _ in false }, makerIsAlive: { _ in false })
        #expect(repair.isEmpty)
    }

    /// Another program deletes the uplink's TAP device; the downlink's is still there.
    @Test func leavesNothingWhenOneOfItsDevicesWasDeleted() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        device.ifbs["lc2r1u"] = nil
        var halved = device
        let repair = Repair(.absent, device.state, now: .zero, isAlive: { _ in false }, makerIsAlive: { _ in false })
        #expect(repair.hasDanglingFilters)
        try halved.carryOut(halved.planner().repair(repair))
        #expect(halved.filters.map(\.target) == ["lc2r1d"] && halved.passes.isEmpty)
        for var rest in [device, halved] {
            try rest.reset()
            #expect(rest.state == SimulatedDevice.ethernet.state)
        }
    }

    /// A pump that was stopped or frozen cannot tell what it holds.
    @Test func removesTheRuleOfAStoppedPumpWithoutWaiting() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, "port 1", engine: .userspace)
        try device.apply(Profile("Up", uplink: .delay(10)), "port 2", engine: .userspace)
        let repair = Repair(
            .absent,
            device.state,
            now: .zero,
            isAlive: { _ in true },
            makerIsAlive: { _ in true },
            isStopped: { $0 == "lc2r1u" }
        )
        #expect(repair.removed.map(\.description) == ["port 1"])
        let plan = try device.planner().repair(repair)
        #expect(plan.teardown.filter(\.isDrain).isEmpty)
        try device.carryOut(plan)
        #expect(device.state.rules.map(\.number) == [2])
    }

    /// Without them a pump's packets are lost, or are redirected to it again and again.
    @Test func addsTheFiltersForReturningPacketsAgain() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        let intact = device.state
        device.passes = [:]
        for tap in ["lc2r1u", "lc2r1d"] { device.ifbs[tap]?.hasReturn = false }
        let repair = Repair(.absent, device.state, now: .zero, isAlive: { _ in false }, makerIsAlive: { _ in false })
        #expect(repair.hasBrokenReturns)
        try device.carryOut(device.planner().repair(repair))
        #expect(device.state == intact)
    }
}
