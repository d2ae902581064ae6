// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import LinkConditioning

/// How traffic is led through a pump and back, on a device that refuses what would lose or circle packets.
@Suite struct DetourTests {
    private let request = RuleRequest(
        profile: Profile(name: "Mine"),
        selection: Selection("port 443") ?? Selection(),
        origin: .init(time: 1, userID: 0, processID: 7)
    )

    private func detour(_ device: SimulatedDevice) throws -> Detour {
        try Planner(device.state, KernelFacts(version: KernelVersion(6, 1))).detour(request)
    }

    @Test func leadsBothDirectionsOfEthernetThereAndBack() throws {
        var device = SimulatedDevice.ethernet
        let detour = try detour(device)
        #expect(detour.taps.map(\.name) == ["lc2r1u", "lc2r1d"])
        #expect(detour.taps.map(\.traffic) == [.leaving, .arriving])
        #expect(detour.taps.map(\.mtu) == [1500, 1500])
        // What is to arrive has to find the device's own address; what leaves finds any.
        #expect(detour.taps.map(\.address) == [nil, device.state.link.address])
        device.makeTaps(detour)
        try device.carryOut(detour.plan)
        #expect(device.filters.map(\.target) == ["lc2r1u", "lc2r1d"])
        #expect(device.filters.map(\.hook) == [.egress, .ingress])
    }

    /// Packets that come back by the egress hook must meet the filter that lets them pass first.
    @Test func letsPassWhatComesBackAheadOfWhatLeadsAway() throws {
        var device = SimulatedDevice.ethernet
        let detour = try detour(device)
        device.makeTaps(detour)
        try device.carryOut(detour.plan)
        let (place, tap) = try #require(device.passes.first)
        #expect(tap == "lc2r1u")
        #expect(device.filters.allSatisfy { $0.preference > place })
        // Behind what others put without saying where, ahead of every lane of netem's.
        #expect(place > 49152 && device.filters.allSatisfy { $0.preference < Planner.firstPreference })
    }

    @Test func leadsLoopbackThroughOneDevice() throws {
        var device = SimulatedDevice.loopback
        let detour = try detour(device)
        #expect(detour.taps.map(\.traffic) == [.loopback])
        device.makeTaps(detour)
        try device.carryOut(detour.plan)
        #expect(device.passes.isEmpty && device.filters.map(\.hook) == [.egress])
    }

    @Test func canBeUndoneStepByStep() throws {
        var device = SimulatedDevice.ethernet
        let detour = try detour(device)
        device.makeTaps(detour)
        try device.carryOut(detour.plan)
        for step in detour.plan.build.reversed().compactMap(\.undo) { try device.perform(step) }
        #expect(device.filters.isEmpty && device.passes.isEmpty && device.hook == .none)
    }

    @Test func refusesDevicesWithoutEthernetHeader() throws {
        #expect(throws: ConditioningError.self) { try detour(.tunnel) }
    }

    /// A sender with a group address there is not: what bears one has been to the pump.
    @Test func picksNothingThatWasWrittenBack() throws {
        let filter = try #require(detour(.ethernet).plan.build.compactMap(\.filter).first { $0.hook == .ingress })
        let passed = Classifier(selection: Selection(), condition: .any, remoteIsDestination: false, networkOffset: 14)
        #expect(filter.program != passed.program())
        #expect(filter.program.contains(BPFInstruction(code: 0x54, constant: 1)))
    }
}

extension LinkConditioning.Operation {
    fileprivate var filter: LaneFilter? {
        if case .addFilter(let filter) = self { filter } else { nil }
    }
}
