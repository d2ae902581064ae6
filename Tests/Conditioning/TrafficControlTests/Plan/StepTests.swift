// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

@Suite struct OperationTests {
    private static let filter = LaneFilter(
        device: "eth0",
        hook: .egress,
        preference: 50096,
        mark: FilterMark(rule: 1, lane: .uplink),
        program: [BPFInstruction(code: 6, constant: .max)],
        target: "lc2r1u"
    )

    private static let previous: LaneFilter = {
        var previous = filter
        previous.target = "lc2r1u9"
        return previous
    }()

    @Test(
        arguments: [
            .kernel(.describe("lc2r1u", alias: "new", previous: "old")),
            .kernel(.replaceFilter(filter, previous: previous)),
            .kernel(.addFilter(filter)), .kernel(.deleteFilter(filter)), .kernel(.setMTU("lo", 1500, previous: 65536)),
        ] as [PlanStep]
    )
    func isItselfWhenUndoneTwice(operation: PlanStep) throws {
        let undo = try #require(operation.undo)
        #expect(undo != operation)
        #expect(undo.undo == operation)
    }

    @Test func undoesWhatItMade() {
        #expect(PlanStep.kernel(.addIFB("lc2r1u")).undo == .kernel(.deleteDevice("lc2r1u")))
        #expect(PlanStep.kernel(.addHook("eth0")).undo == .kernel(.deleteHook("eth0")))
        #expect(PlanStep.kernel(.addFilter(Self.filter)).undo == .kernel(.deleteFilter(Self.filter)))
    }

    @Test(
        arguments: [
            .kernel(.disableAddresses("lc2r1u")), .kernel(.bringUp("lc2r1u")),
            .kernel(.describe("lc2r1u", alias: "new", previous: nil)),
            .kernel(.addQdisc("lc2r1u", .clsact(on: 0))), .drain(.ifb("lc2r1u"), atMost: .seconds(1)),
            .kernel(.deleteDevice("lc2r1u")),
            .kernel(.deleteHook("eth0")),
        ] as [PlanStep]
    )
    func leavesToOthersWhatGoesWithItsObject(operation: PlanStep) {
        #expect(operation.undo == nil)
    }

    /// Undoing restores the device after a failure at any step.
    @Test func undoesAPlanFromAnyStep() throws {
        var conditioned = SimulatedDevice.loopback
        try conditioned.apply(.slowNet)
        for (device, profile) in [
            (SimulatedDevice.loopback, Profile.slowNet), (conditioned, .delay(1)), (conditioned, Profile("Nothing")),
            (conditioned, .slowNet),
        ] {
            let build = try device.plan(profile, time: 2000).build
            for count in 0...build.count {
                var changed = device
                for operation in build.prefix(count) { try changed.perform(operation) }
                for operation in build.prefix(count).reversed().compactMap(\.undo) { try changed.perform(operation) }
                #expect(Set(changed.filters) == Set(device.filters))
                #expect(changed.ifbs == device.ifbs)
                #expect(changed.hook == device.hook && changed.mtu == device.mtu)
            }
        }
    }
}
