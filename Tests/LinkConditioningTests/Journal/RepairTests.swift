// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem
import Netlink
import Testing

@testable import LinkConditioning
@testable import TrafficControl

/// A device on which a process was interrupted after each of a plan's operations.
@Suite struct RepairTests {
    private static func decide(
        _ device: SimulatedDevice,
        _ reading: JournalReading,
        now: Duration = .zero,
        alive: Set<Int32> = []
    ) -> Repair {
        Repair(
            reading,
            device.state,
            now: now,
            isAlive: { alive.contains($0.processID) },
            makerIsAlive: { alive.contains($0.processID) }
        )
    }

    /// Carries a repair out, as a session does.
    private static func repair(_ device: inout SimulatedDevice, _ reading: JournalReading) throws {
        let repair = decide(device, reading)
        try device.carryOut(device.planner().repair(repair))
        for rule in repair.restored { try device.carryOut(device.planner().apply(rule.request)) }
    }

    /// The device after each number of operations of the plan that `makePlan` gives.
    private static func stopped(
        _ device: SimulatedDevice,
        _ makePlan: (SimulatedDevice) throws -> Plan
    ) throws -> [SimulatedDevice] {
        let plan = try makePlan(device)
        var states = [device]
        for operation in plan.build + plan.teardown {
            var next = states[states.count - 1]
            try next.perform(operation)
            states.append(next)
        }
        return states
    }

    @Test(arguments: [SimulatedDevice.ethernet, .loopback, .tunnel])
    func undoesAnApplyThatWasCutOff(bare: SimulatedDevice) throws {
        for var device in try Self.stopped(bare, { try $0.plan(.slowNet) }) {
            try Self.repair(&device, .entry(.made(change: .made("apply"))))
            #expect(device.state == bare.state)
        }
    }

    @Test func takesASwitchBackThatWasCutOff() throws {
        var before = SimulatedDevice.ethernet
        try before.apply(.slowNet)
        let plans: [Profile] = [.blackHole, .delay(10), Profile("Nothing")]
        for profile in plans {
            for var device in try Self.stopped(before, { try $0.plan(profile) }) {
                let hadTraces = !device.state.rules.isEmpty || !device.state.orphans.isEmpty
                try Self.repair(&device, .entry(.made([.made(.slowNet)], change: .made("switch"))))
                // The state is clean only after the last lane is gone, too.
                #expect(device.state.rules.map { $0.alias?.profile } == (hadTraces ? ["Slow Net"] : []))
                #expect(device.state.rules.first?.lanes.count ?? 3 == 3)
                #expect(device.state.orphans.isEmpty)
            }
        }
    }

    @Test func finishesAResetThatWasCutOff() throws {
        for bare in [SimulatedDevice.ethernet, .loopback] {
            var before = bare
            try before.apply(.slowNet)
            try before.apply(.delay(10), "port 443")
            let entry = JournalEntry.made(
                [.made(.slowNet), .made(.delay(10), "port 443")],
                change: .made("reset", nil, isRemoval: true)
            )
            for var device in try Self.stopped(before, { $0.planner().reset() }) {
                try Self.repair(&device, .entry(entry))
                #expect(device.state == bare.state)
            }
        }
    }

    @Test func leavesOtherRulesAlone() throws {
        var before = SimulatedDevice.ethernet
        try before.apply(.slowNet, "port 80")
        for var device in try Self.stopped(before, { try $0.plan(.delay(10), "port 443") }) {
            try Self.repair(&device, .entry(.made([.made(.slowNet, "port 80")], change: .made("apply", "port 443"))))
            #expect(device.state == before.state)
        }
    }

    @Test func endsRulesWithoutGuardian() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        let ending = JournalEntry.Ending(guardian: .made(43), until: .seconds(600), confirmBy: nil)
        let entry = JournalReading.entry(.made([.made(.slowNet, ending: ending)]))
        #expect(Self.decide(device, entry, now: .seconds(601), alive: [42, 43]).isEmpty)
        #expect(Self.decide(device, entry, now: .seconds(603), alive: [42, 43]).removed == [Selection()])
        #expect(Self.decide(device, entry, now: .seconds(1), alive: [42]).removed == [Selection()])
        try Self.repair(&device, entry)
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    /// The supervisor of a sandbox holds a rule that an entry claims to end.
    @Test func leavesWhatALivingSupervisorHolds() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet, isHeld: true)
        let before = device.state
        let ending = JournalEntry.Ending(guardian: .made(43), until: .seconds(600), confirmBy: nil)
        let entries: [JournalEntry] = [
            .made([.made(.slowNet, ending: ending)]), .made([.made(.delay(10))], change: .made("switch")),
            .made(change: .made("apply")), .made([.made(.slowNet)], change: .made("reset", nil, isRemoval: true)),
        ]
        for entry in entries {
            #expect(Self.decide(device, .entry(entry), now: .seconds(700), alive: [42]).isEmpty)
            #expect(!Self.decide(device, .entry(entry), now: .seconds(700)).isEmpty, "its supervisor is gone")
        }
        var halved = device
        halved.ifbs["lc1r1u"] = nil
        #expect(Self.decide(halved, .absent, alive: [42]).isEmpty)
        #expect(!Self.decide(halved, .absent).isEmpty)
        // Another rule beside it is removed.
        try device.apply(.delay(10), "port 443")
        try device.carryOut(device.planner().reset { $0.isHeld })
        #expect(device.state == before)
    }

    @Test func lastsWhereOnlyAResetEndsIt() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        for reading in [JournalReading.entry(.made([.made(.slowNet)])), .absent, .damaged(""), .otherBoot, .elsewhere] {
            #expect(Self.decide(device, reading).isEmpty)
        }
    }

    @Test func leavesTheSettingsOfAnInterfaceThatWasMadeAnew() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet)
        device.filters = []
        try Self.repair(&device, .otherInterface("lo"))
        #expect(device.ifbs.isEmpty && device.hook == .clsact && device.mtu == 1500)
    }

    @Test func leavesLanesWhoseMakerIsAlive() throws {
        var device = SimulatedDevice.ethernet
        let plan = try device.plan(.slowNet)
        for operation in plan.build.dropLast(2) { try device.perform(operation) }
        let before = device.state
        let repair = Self.decide(device, .absent, alive: [42])
        try device.carryOut(device.planner().repair(repair))
        #expect(repair.isEmpty && device.state == before)
    }

    /// The ifbs were deleted, and with them the record of the hook and of the MTU.
    @Test func restoresFromMemoryWhatTheKernelDoesNotTell() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet)
        device.ifbs = [:]
        var memory = Planner.Memory()
        (memory.madeHook, memory.previousMTU) = (true, 65536)
        let planner = Planner(device.state, SimulatedDevice.kernel, memory: memory)
        try device.carryOut(planner.repair(Self.decide(device, .absent)))
        #expect(device.state == SimulatedDevice.loopback.state)
        // Without an object in the kernel the record proves nothing.
        device.hook = .clsact
        #expect(Planner(device.state, SimulatedDevice.kernel, memory: memory).reset().isEmpty)
    }
}
