// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

/// What a device needs, by its state and the journal. HistoryTests carry repairs out.
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

    @Test func endsRulesWithoutGuardian() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        let ending = JournalEntry.Ending(guardian: .made(43), until: .seconds(600), confirmBy: nil)
        let entry = JournalReading.entry(.made([.made(.slowNet, ending: ending)]))
        #expect(Self.decide(device, entry, now: .seconds(601), alive: [42, 43]).isEmpty)
        #expect(Self.decide(device, entry, now: .seconds(603), alive: [42, 43]).removed == [Selection()])
        #expect(Self.decide(device, entry, now: .seconds(1), alive: [42]).removed == [Selection()])
        try device.carryOut(device.planner().repair(Self.decide(device, entry)))
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

    /// The rule is recorded, and no command was interrupted: another program deleted its filters, or the qdisc.
    @Test func tellsWhatAnotherProgramDeletedFromAnInterruptedCommand() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        device.filters = []
        let recorded = Self.decide(device, .entry(.made([.made(.slowNet)])))
        #expect(recorded.reasons == ["removed lanes whose filters another program had deleted"])
        #expect(Self.decide(device, .absent).reasons == ["removed lanes that an interrupted command left"])
    }

    @Test func leavesTheSettingsOfAnInterfaceThatWasMadeAnew() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet)
        device.filters = []
        try device.carryOut(device.planner().repair(Self.decide(device, .otherInterface("lo"))))
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

    /// A run that lives on has made them, and its guardian waits for its end.
    @Test(arguments: [nil, "everything"])
    func finishesAnInterruptedRemovalWhoseMakerIsAlive(selection: String?) throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        device.filters = []
        let entry = JournalEntry.made([.made(.slowNet)], change: .made("reset", selection, isRemoval: true))
        #expect(!Self.decide(device, .entry(entry), alive: [42]).lanes.isEmpty)
        try device.carryOut(device.planner().repair(Self.decide(device, .entry(entry), alive: [42])))
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    /// The switch was killed when the new lanes were in effect. The run has made the old ones.
    @Test func removesTheLanesThatASwitchLeftToARunThatLives() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        let change = try device.plan(.delay(10))
        for operation in change.build { try device.perform(operation) }
        let ending = JournalEntry.Ending(guardian: .made(42), isTied: true)
        let entry = JournalEntry.made([.made(.delay(10), ending: ending)])
        #expect(Self.decide(device, .entry(.made([.made(.delay(10))])), alive: [42]).isEmpty)
        try device.carryOut(device.planner().repair(Self.decide(device, .entry(entry), alive: [42])))
        var switched = SimulatedDevice.ethernet
        try switched.apply(.slowNet)
        try switched.apply(.delay(10))
        #expect(device.state == switched.state)
    }

    /// The ifbs were deleted, and with them the record of the hook and of the MTU.
    @Test func restoresFromMemoryWhatTheKernelDoesNotTell() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet)
        device.ifbs = [:]
        var originals = Planner.OriginalSettings()
        (originals.madeHook, originals.previousMTU) = (true, 65536)
        let planner = Planner(device.state, SimulatedDevice.kernel, originals: originals)
        try device.carryOut(planner.repair(Self.decide(device, .absent)))
        #expect(device.state == SimulatedDevice.loopback.state)
        // Without an object in the kernel the record proves nothing.
        device.hook = .clsact
        #expect(Planner(device.state, SimulatedDevice.kernel, originals: originals).reset().isEmpty)
    }

    /// The devices whose aliases hold the settings of loopback may be gone when a change is interrupted: the journal is
    /// used then.
    @Test func restoresLoopbacksSettingsAfterAChangeWhoseDevicesAreGone() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet, engine: .userspace)
        (device.ifbs, device.filters) = ([:], [])
        var entry = JournalEntry.made([.made(.slowNet)], change: .made("run", isRemoval: true))
        (entry.originals.madeHook, entry.originals.previousMTU) = (true, 65536)
        entry.originals.previousSettings = LoopbackSettings("0,0,0")
        let repair = Repair(
            .entry(entry),
            device.state,
            now: .zero,
            isAlive: { _ in true },
            makerIsAlive: { _ in false }
        )
        #expect(repair.restoresSettings && repair.reasons.count == 1)
        var originals = Planner.OriginalSettings()
        (originals.madeHook, originals.previousMTU, originals.isCutOff) = (true, 65536, true)
        originals.previousSettings = entry.originals.previousSettings
        for step in try Planner(device.state, SimulatedDevice.kernel, originals: originals).repair(repair).teardown {
            try device.perform(step)
        }
        #expect(device.state == SimulatedDevice.loopback.state)
    }
}
