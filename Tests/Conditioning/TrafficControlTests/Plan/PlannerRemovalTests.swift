// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Removing one rule by the process that made it.
@Suite struct PlannerRemovalTests {
    @Test func leavesTheDeviceAsItWasBeforeTheRule() throws {
        for bare in [SimulatedDevice.ethernet, .loopback, .tunnel] {
            var device = bare
            try device.apply(.slowNet)
            try device.carryOut(device.planner().remove(Selection(), owner: 1))
            #expect(device.state == bare.state)
        }
    }

    @Test func leavesOtherRulesAlone() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        let before = device.state
        try device.apply(.delay(10), "port 443")
        let secure = try #require(Selection("port 443"))
        try device.carryOut(device.planner().remove(secure, owner: 1))
        #expect(device.state.rules == before.rules)
        #expect(device.state.hook == .clsact)
    }

    @Test func removesWhatItsOwnerLeftUnfinished() throws {
        var device = SimulatedDevice.ethernet
        let plan = try device.plan(.slowNet)
        for operation in plan.build.prefix(8) { try device.perform(operation) }
        #expect(!device.state.orphans.isEmpty)
        let owner = try #require(device.state.orphans.first?.alias.processID)
        try device.carryOut(device.planner().remove(Selection(), owner: owner))
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    @Test func leavesWhatAnotherProcessIsMaking() throws {
        var device = SimulatedDevice.ethernet
        let plan = try device.plan(.slowNet)
        for operation in plan.build.prefix(2) { try device.perform(operation) }
        let owner = try #require(device.state.orphans.first?.alias.processID)
        #expect(device.planner().remove(Selection(), owner: owner + 1).isEmpty)
    }
}
