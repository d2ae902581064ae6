// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

@Suite struct PlannerResetTests {
    @Test func deletesFiltersThenTheHookThenTheIfbs() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        try device.apply(.delay(10), "port 443")
        let steps = try device.reset().teardown.map { operation in
            switch operation {
            case .kernel(.deleteFilter): "filter"
            case .drain: "drain"
            case .kernel(.deleteDevice): "ifb"
            case .kernel(.deleteHook): "hook"
            default: "other"
            }
        }
        let lanes = [[String]](repeating: ["drain", "ifb"], count: 5).flatMap { $0 }
        #expect(steps == [String](repeating: "filter", count: 5) + ["hook"] + lanes)
    }

    /// While filters are deleted one by one, a packet must not enter a lane of another filter.
    @Test func deletesFiltersInReverseOrder() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        try device.apply(.slowNet, "port 443")
        for case .kernel(.deleteFilter(let filter)) in device.planner().reset().teardown {
            let sameHook = device.filters.filter { $0.hook == filter.hook }
            #expect(sameHook.allSatisfy { $0.preference <= filter.preference })
            try device.perform(.kernel(.deleteFilter(filter)))
        }
    }

    @Test func leavesTheDeviceAsItWas() throws {
        for bare in [SimulatedDevice.ethernet, .loopback, .tunnel] {
            var device = bare
            try device.apply(.slowNet)
            try device.apply(.delay(10), "port 443")
            try device.apply(.delay(20), "port 443")
            try device.reset()
            #expect(device.state == bare.state)
        }
    }

    @Test func leavesAHookThatWeDidNotMake() throws {
        for hook in [DeviceState.Hook.clsact, .ingressOnly] {
            var device = SimulatedDevice.ethernet
            device.hook = hook
            try device.apply(.blackHole)
            try device.reset()
            #expect(device.hook == hook)
        }
    }

    @Test func deletesFiltersWhoseDeviceIsGone() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.delay(100))
        device.ifbs["lc2r1u"] = nil
        #expect(device.state.danglingFilters.count == 1)
        try device.reset()
        #expect(device.filters.isEmpty && device.ifbs.isEmpty)
        #expect(device.hook == .none)
    }

    @Test func deletesIfbsWithoutAFilter() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.delay(100))
        device.filters.removeAll()
        try device.reset()
        #expect(device.ifbs.isEmpty)
        #expect(device.hook == .none)
    }

    @Test func doesNothingToABareDevice() {
        #expect(SimulatedDevice.ethernet.planner().reset().isEmpty)
    }
}
