// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// The settings of loopback for a pump, and their restoration.
@Suite struct LoopbackSettingsTests {
    @Test func readsWhatItWrites() throws {
        let settings = try #require(LoopbackSettings("0,1,2"))
        #expect(settings.text == "0,1,2" && settings.acceptsLocal == 1 && settings.reversePath == 2)
        for text in ["", "1,1", "1,1,2,0", "1,,2", "1,1,x", "1,1,256"] { #expect(LoopbackSettings(text) == nil) }
    }

    @Test func namesTheSettingsForPeople() {
        #expect(
            PlanStep.setLoopback("lo", .admitting, previous: .admitting).command
                == "sysctl -w net.ipv4.conf.lo.route_localnet=1 net.ipv4.conf.lo.accept_local=1 net.ipv4.conf.lo.rp_filter=2"
        )
    }

    @Test func areRestoredWithTheLastPump() throws {
        var device = SimulatedDevice.loopback
        device.settings = LoopbackSettings("0,1,1")
        let before = device.state
        try device.apply(.delay(10), "port 1", engine: .userspace)
        try device.apply(.delay(10), "port 2", engine: .userspace)
        #expect(device.settings == .admitting)
        try device.carryOut(device.planner().remove(Selection("port 2"), owner: 0))
        #expect(device.settings == .admitting)
        try device.apply(.delay(10), "port 1", time: 1001)
        #expect(device.settings == LoopbackSettings("0,1,1"))
        try device.reset()
        #expect(device.state == before)
    }

    /// The device whose alias holds them disappears with its process; the journal remains.
    @Test func areRestoredAfterAPumpThatIsGone() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet, engine: .userspace)
        device.ifbs = [:]
        var memory = Planner.OriginalSettings()
        (memory.madeHook, memory.previousMTU, memory.previousSettings) = (true, 65536, LoopbackSettings("0,0,0"))
        for step in Planner(device.state, SimulatedDevice.kernel, originals: memory).reset().teardown {
            try device.perform(step)
        }
        #expect(device.state == SimulatedDevice.loopback.state)
    }

    /// The three are written one after the other.
    @Test(arguments: ["1,0,0", "1,1,0", "0,1,2", "0,0,2"])
    func areGivenBackWhereSomebodyWasStoppedBetweenThem(text: String) throws {
        var device = SimulatedDevice.loopback
        try device.apply(.delay(10), engine: .userspace)
        device.settings = LoopbackSettings(text)
        try device.reset()
        #expect(device.state == SimulatedDevice.loopback.state)
    }

    /// A change by another program meanwhile is kept.
    @Test func areKeptIfAnotherProgramHasChangedThem() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.delay(10), engine: .userspace)
        device.settings = LoopbackSettings("1,1,1")
        try device.reset()
        #expect(device.settings == LoopbackSettings("1,1,1"))
    }
}
