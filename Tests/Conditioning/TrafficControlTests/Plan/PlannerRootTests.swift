// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Plans for kernels without ifb and mirred, where netem can only be the root qdisc.
@Suite struct PlannerRootTests {
    private static let uplink = Profile("up", uplink: .delay(100))

    private func plan(_ profile: Profile, _ selection: String = "everything", on device: SimulatedDevice) throws -> Plan
    {
        try device.planner().atRoot.apply(.made(profile, selection), .netem)
    }

    private func refusal(_ profile: Profile, _ selection: String = "everything", on device: SimulatedDevice)
        -> ConditioningError?
    {
        do {
            _ = try plan(profile, selection, on: device)
            return nil
        } catch {
            return error as? ConditioningError
        }
    }

    @Test func conditionsTheUplinkAndRestoresTheDefault() throws {
        var device = SimulatedDevice.ethernet
        let before = device.state
        let plan = try plan(Self.uplink, on: device)
        #expect(plan.requirements == [.netem] && plan.hasLanes && plan.expected.isEmpty && plan.taps.isEmpty)
        #expect(plan.notes.count == 1 && plan.notes[0].contains("root qdisc of eth0"))
        try device.carryOut(plan)
        #expect(PlanComparison.difference(plan.root, in: device.state).isEmpty)
        #expect(device.state.rules.count == 1 && device.state.rules[0].selection.isEverything)
        #expect(!device.state.rules[0].isPumped && device.state.rules[0].lanes[0].lane?.netem.latency == 100_000_000)
        try device.reset()
        #expect(device.state == before)
    }

    /// Super-packets are split first, and the qdiscs below the root keep their handles.
    @Test func limitsTheRate() throws {
        var device = SimulatedDevice.ethernet
        let profile = Profile(
            "up",
            uplink: .with { ($0.rate, $0.delay) = (BitRate(bitsPerSecond: 1_000_000), .milliseconds(20)) }
        )
        let plan = try plan(profile, on: device)
        #expect(plan.requirements == [.netem, .tokenBucket])
        // Nothing can count bytes there.
        #expect(plan.notes.count == 2 && plan.notes[1].contains("counts packets"))
        try device.carryOut(plan)
        #expect(device.root.map(\.kind.name) == ["tbf", "netem"])
        let removal = try device.reset()
        #expect(removal.teardown.contains { $0.isDrain } && device.root.isEmpty)
    }

    @Test func refusesWhatItCouldOnlyHalfDo() {
        let device = SimulatedDevice.ethernet
        for profile in [Profile.slowNet, Profile("down", downlink: .delay(1))] {
            let error = refusal(profile, on: device)
            #expect(error?.code == .unsupported && error?.message.contains("no ifb or no mirred") == true)
            #expect(error?.message.contains("not the") == true && error?.remedy != nil)
        }
        let error = refusal(Self.uplink, "port 443", on: device)
        #expect(error?.message.contains("not traffic on port 443") == true && error?.remedy != nil)
        #expect(refusal(Self.uplink, on: .loopback) != nil)
    }

    @Test func replacesNoRootQdiscOfOthers() {
        var device = SimulatedDevice.ethernet
        device.root = [Qdisc(link: 2, parent: .root, handle: Handle(0x8001), kind: .other("htb", options: []))]
        let error = refusal(Self.uplink, on: device)
        #expect(error?.message.contains("another program's: htb 8001:") == true)
        #expect(error?.remedy == "tc qdisc del dev eth0 root")
    }

    /// Whatever the kernel has by then.
    @Test func isNotChangedInPlace() throws {
        var device = SimulatedDevice.ethernet
        try device.carryOut(plan(Self.uplink, on: device))
        for planner in [device.planner(), device.planner().atRoot] {
            for engine in [Engine.netem, .userspace] {
                let error = #expect(throws: ConditioningError.self) { try planner.apply(.made(.slowNet), engine) }
                #expect(error?.remedy == Remedy(.reset, "eth0"))
            }
        }
    }

    /// Killed between the qdiscs.
    @Test func removesHalfOfALane() throws {
        var device = SimulatedDevice.ethernet
        let profile = Profile("up", uplink: .rate(1_000_000))
        for step in try plan(profile, on: device).build.prefix(1) { try device.perform(step) }
        try device.reset()
        #expect(device.root.isEmpty)
    }

    @Test func undoesEachStep() throws {
        let profile = Profile("up", uplink: .rate(1_000_000))
        let before = SimulatedDevice.ethernet
        for count in 1...2 {
            var device = before
            // What is added below the root goes with it.
            let steps = try plan(profile, on: device).build.prefix(count)
            for step in steps { try device.perform(step) }
            for step in steps.reversed().compactMap(\.undo) { try device.perform(step) }
            #expect(device.state == before.state)
        }
    }
}
