// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

@Suite struct PlannerChangeTests {
    /// The plan that changes the device's only rule.
    private static func change(_ device: SimulatedDevice, to profile: Profile) throws -> Plan {
        let rule = try #require(device.state.rules.first)
        return try device.plan(profile, rule.selection.description, time: 2000)
    }

    @Test func movesFiltersToNewLanesBetweenTwoPackets() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.delay(100))
        let before = device.filters
        let plan = try Self.change(device, to: .delay(200))
        #expect(plan.expected.map(\.name.description) == ["lc2r1u1", "lc2r1d1"])
        let replaced = plan.build.compactMap {
            if case .kernel(.replaceFilter(_, let previous)) = $0 { previous } else { nil }
        }
        #expect(replaced == before)
        #expect(
            plan.teardown == [
                .drain(.ifb("lc2r1u"), atMost: .milliseconds(100)), .kernel(.deleteDevice("lc2r1u")),
                .drain(.ifb("lc2r1d"), atMost: .milliseconds(100)), .kernel(.deleteDevice("lc2r1d")),
            ]
        )
        try device.carryOut(plan)
        #expect(device.filters.map(\.preference) == before.map(\.preference))
        #expect(Set(device.ifbs.keys) == ["lc2r1u1", "lc2r1d1"])
    }

    @Test func keepsLanesThatStayTheSame() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(Profile("A", downlink: .loss(1), uplink: .delay(100)))
        let plan = try Self.change(device, to: Profile("B", downlink: .loss(2), uplink: .delay(100)))
        #expect(plan.expected.map(\.name.description) == ["lc2r1u", "lc2r1d1"])
        #expect(!plan.build.contains(.kernel(.addIFB("lc2r1u1"))))
        #expect(!plan.teardown.contains(.kernel(.deleteDevice("lc2r1u"))))
        try device.carryOut(plan)
        #expect(device.state.rules.first?.lanes.allSatisfy { $0.alias.profile == "B" } == true)
    }

    @Test func renewsJitterWhoseTableCannotBeRead() throws {
        var jitter = Impairments.delay(100)
        jitter.jitter = Jitter(amount: .milliseconds(10), distribution: .normal)
        var device = SimulatedDevice.ethernet
        try device.apply(Profile("A", uplink: jitter))
        jitter.jitter?.distribution = .pareto
        try device.carryOut(Self.change(device, to: Profile("B", uplink: jitter)))
        #expect(Set(device.ifbs.keys) == ["lc2r1u1"])
    }

    @Test func freesADirectionThatTheNewProfileLeavesAlone() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        let plan = try Self.change(device, to: .blackHole)
        let deleted = plan.build.compactMap {
            if case .kernel(.deleteFilter(let filter)) = $0 { filter.mark.lane } else { nil }
        }
        #expect(Set(deleted) == [.dns, .uplink])
        try device.carryOut(plan)
        #expect(device.filters.map(\.mark.lane) == [.downlink])
        #expect(Set(device.ifbs.keys) == ["lc2r1d1"])
        #expect(device.hook == .clsact)
    }

    @Test func removesTheRuleForAProfileThatDoesNothing() throws {
        let bare = SimulatedDevice.ethernet
        var device = bare
        try device.apply(.slowNet)
        try device.carryOut(Self.change(device, to: Profile("Nothing")))
        #expect(device.state == bare.state)
    }

    @Test func keepsTheRulesTraffic() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, "port 443")
        let plan = try Self.change(device, to: .blackHole)
        try device.carryOut(plan)
        #expect(device.state.rules.map(\.selection.description) == ["port 443"])
        #expect(device.state.rules.map(\.number) == [1])
    }

    @Test func givesEachSuccessorAFreeName() throws {
        var device = SimulatedDevice.ethernet
        var names: [String] = []
        for step in 1...12 {
            let plan = try device.apply(Profile("Step", uplink: .delay(step)))
            names += plan.expected.map(\.name.description)
        }
        #expect(names == ["lc2r1u"] + (1...9).map { "lc2r1u\($0)" } + ["lc2r1u1", "lc2r1u2"])
        #expect(device.ifbs.count == 1)
    }

    @Test func waitsTenSecondsAtMostForALaneToDrain() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(Profile("Slow", uplink: .rate(8000)))
        let drains = try Self.change(device, to: .blackHole).teardown.filter {
            if case .drain = $0 { true } else { false }
        }
        #expect(drains == [.drain(.ifb("lc2r1u"), atMost: .seconds(10))])
    }

    /// The filter of a deleted ifb still occupies its preference and drops the packets that it matches.
    @Test func replacesAFilterWhoseDeviceIsGone() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.delay(100))
        device.ifbs["lc2r1u"] = nil
        #expect(device.state.danglingFilters.count == 1)
        try device.apply(.delay(100))
        #expect(device.state.danglingFilters.isEmpty)
        #expect(device.state.rules.first?.lanes.map(\.name.kind) == [.uplink, .downlink])
    }

    @Test func removesWhatAKilledProcessLeft() throws {
        var device = SimulatedDevice.ethernet
        let plan = try device.plan(.delay(100))
        // Killed before the hook was made.
        for operation in plan.build.prefix(while: { $0 != .kernel(.addHook("eth0")) }) { try device.perform(operation) }
        #expect(device.state.orphans.count == 2)
        try device.apply(.delay(200))
        #expect(Set(device.ifbs.keys) == ["lc2r1u1", "lc2r1d1"])
        #expect(device.state.orphans.isEmpty)
    }
}
