// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import TestKit
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Random rules in sequence: each plan can be carried out with the expected result, and a reset leaves nothing.
@Suite struct PlannerPropertyTests {
    @Test(arguments: UInt64(1)...30)
    func anyHistoryCanBeTakenAway(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bare = generator.pick([SimulatedDevice.ethernet, .loopback, .tunnel])
        var device = bare
        for time in 1...25 {
            if generator.isOne(in: 12) {
                try device.reset()
                #expect(device.state == bare.state)
                continue
            }
            let profile = Self.profile(&generator, isSymmetric: device.hardware == .loopback)
            let engine: Engine = generator.isOne(in: 2) ? .userspace : .netem
            let plan: Plan
            if let rule = device.state.rules.randomElement(using: &generator), generator.isOne(in: 3) {
                plan = try device.plan(profile, rule.selection.description, time: time, engine: engine)
            } else {
                let selection = generator.pick(["everything", "port 443", "to 10.0.0.0/8", "protocol udp"])
                plan = try device.plan(profile, selection, time: time, engine: engine)
            }
            try Self.interrupt(plan, on: device, bare, &generator)
            try device.carryOut(plan)
            try #require(PlanComparison.differences(plan.expected, in: device.state).isEmpty)
            #expect(device.state.orphans.isEmpty && device.state.danglingFilters.isEmpty)
            #expect(Set(device.state.rules.map(\.selection)).count == device.state.rules.count)
        }
        try device.reset()
        #expect(device.state == bare.state)
    }

    /// A reset removes everything that a process left when it was killed.
    private static func interrupt(
        _ plan: Plan,
        on device: SimulatedDevice,
        _ bare: SimulatedDevice,
        _ generator: inout SeededGenerator
    ) throws {
        var killed = device
        killed.makeTaps(plan)
        let steps = plan.build + plan.teardown
        for step in steps.prefix(Int.random(in: 0...steps.count, using: &generator)) { try killed.perform(step) }
        try killed.reset()
        #expect(killed.state == bare.state)
    }

    private static func profile(_ generator: inout SeededGenerator, isSymmetric: Bool) -> Profile {
        func impairments() -> Impairments? {
            generator.pick([nil, .delay(10), .delay(20), .rate(8000), .loss(10), jitter])
        }
        let downlink = impairments()
        let dns: Duration? = generator.isOne(in: 3) ? .seconds(1) : nil
        return Profile("Random", downlink: downlink, uplink: isSymmetric ? downlink : impairments(), dns: dns)
    }

    private static let jitter = Impairments.with {
        $0.delay = .milliseconds(50)
        $0.jitter = Jitter(amount: .milliseconds(10), distribution: .pareto)
    }
}
