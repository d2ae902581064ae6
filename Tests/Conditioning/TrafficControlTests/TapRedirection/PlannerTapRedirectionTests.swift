// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// The redirection to a pump and back, on a simulated device that rejects steps which would lose packets or loop them.
@Suite struct PlannerTapRedirectionTests {
    @Test func redirectsBothDirectionsOfEthernet() throws {
        var device = SimulatedDevice.ethernet
        let plan = try device.apply(.slowNet, "port 443", engine: .userspace)
        #expect(plan.taps.map(\.name) == ["lc2r1u", "lc2r1d"])
        #expect(plan.taps.map(\.traffic) == [.leaving, .arriving])
        #expect(plan.taps.map(\.mtu) == [1500, 1500])
        // Incoming frames need the device's own address; outgoing ones do not.
        #expect(plan.taps.map(\.address) == [nil, device.state.link.address])
        #expect(plan.requirements == [.mirred])
        #expect(device.filters.map(\.target) == ["lc2r1u", "lc2r1d"])
        #expect(device.filters.map(\.hook) == [.egress, .ingress])
        #expect(device.state.rules.map(\.isPumped) == [true])
    }

    /// Packets that return through the egress hook must reach the pass first, and its preference is not used by others.
    @Test func passesReturningPacketsBeforeTheRedirection() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, "port 1", engine: .userspace)
        try device.apply(.slowNet, "port 2", engine: .netem)
        try device.apply(.slowNet, "port 3", engine: .userspace)
        #expect(device.passes.count == 2)
        for (pass, tap) in device.passes {
            #expect(device.filters.allSatisfy { $0.preference > pass.preference } && LaneName(tap)?.rule == pass.rule)
        }
    }

    @Test func redirectsLoopbackThroughOneDevice() throws {
        var device = SimulatedDevice.loopback
        let plan = try device.apply(.slowNet, engine: .userspace)
        #expect(plan.taps.map(\.traffic) == [.loopback])
        #expect(device.passes.isEmpty && device.filters.map(\.hook) == [.egress])
        // Packets return without their original route.
        #expect(device.settings == .admitting)
    }

    /// A remote end with its own address on loopback sends the replies, which the pump must have.
    @Test func hasTheAnswersOfARemoteEndOnLoopbackToo() throws {
        let plan = try SimulatedDevice.loopback.plan(.delay(100), "to 127.0.0.2", engine: .userspace)
        let filter = try #require(plan.expected.first?.filter)
        let (own, remote) = (Address.bytes("127.0.0.1"), Address.bytes("127.0.0.2"))
        func isRedirected(from source: [UInt8], to destination: [UInt8]) throws -> Bool {
            let packet = Packet.ipv4(.tcp(from: 40000, to: 80), from: source, to: destination)
            return try BPFInterpreter(filter.program).answer(to: packet) != 0
        }
        #expect(try isRedirected(from: own, to: remote))
        #expect(try isRedirected(from: remote, to: own))
        #expect(try !isRedirected(from: own, to: own))
    }

    @Test(arguments: [SimulatedDevice.ethernet, .loopback])
    func canBeUndoneStepByStep(bare: SimulatedDevice) throws {
        var device = bare
        let plan = try device.apply(.slowNet, engine: .userspace)
        for step in plan.build.reversed().compactMap(\.undo) { try device.perform(step) }
        #expect(device.filters.isEmpty && device.passes.isEmpty && device.hook == .none)
        #expect(device.mtu == bare.mtu && device.settings == bare.settings)
    }

    @Test func changesConditionsInPlace() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        let filters = device.filters
        // The uplink, without conditions now, keeps its redirection for the next change.
        let plan = try device.apply(.blackHole, time: 1001, engine: .userspace)
        #expect(plan.taps.isEmpty && plan.teardown.isEmpty && device.filters == filters)
        #expect(device.conditions["lc2r1u"]?.map(\.name) == ["Black Hole"])
        #expect(device.state.rules.first?.alias?.profile == "Black Hole")
        for step in plan.build.reversed().compactMap(\.undo) { try device.perform(step) }
        #expect(device.conditions["lc2r1u"] == [])
    }

    /// What a rule selects is its own in a direction that its profile leaves alone, too.
    @Test(arguments: Engine.allCases) func leavesNoDirectionToOtherRules(engine: Engine) throws {
        for selections in [["port 1", "everything"], ["everything", "port 1"]] {
            var device = SimulatedDevice.ethernet
            for selection in selections { try device.apply(.delay(10), selection, engine: engine) }
            try device.apply(.blackHole, "port 1", time: 1001, engine: engine)
            let lanes = device.state.rules.first?.lanes ?? []
            #expect(
                lanes.map(\.name.kind) == [.uplink, .downlink] && lanes.allSatisfy { $0.alias.profile == "Black Hole" }
            )
            #expect(device.state.rules.map(\.selection.description) == ["port 1", "everything"])
        }
        var device = SimulatedDevice.ethernet
        try device.apply(.blackHole, engine: .netem)
        #expect(device.filters.map(\.mark.lane) == [.downlink], "one that is alone needs no more")
    }

    @Test func changesConditionsBesideOtherRulesInPlace() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, "port 1", engine: .userspace)
        try device.apply(.slowNet, engine: .userspace)
        #expect(try device.apply(.blackHole, time: 1001, engine: .userspace).taps.isEmpty)
        #expect(device.conditions["lc2r2u"]?.map(\.name) == ["Black Hole"] && device.passes.count == 2)
        #expect(try device.apply(.slowNet, time: 1002, engine: .userspace).taps.isEmpty)
    }

    @Test func refusesToConditionAPumpsOwnDevice() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        let tap = try #require(device.state.rules.first?.lanes.first?.link)
        var state = SimulatedDevice.ethernet.state
        state.link = tap
        let error = #expect(throws: ConditioningError.self) {
            try Planner(state, SimulatedDevice.kernel).apply(.made(.slowNet), .userspace)
        }
        #expect(error?.message.contains("carries the conditions of another interface") == true)
    }

    /// Packets that return from the pump until it is empty must pass without reaching the netem lanes.
    @Test func changesTheEngineWithoutConditioningTwice() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        let plan = try device.plan(.slowNet, time: 1001)
        device.makeTaps(plan)
        for step in plan.build { try device.perform(step) }
        #expect(device.passes.count == 1)
        let retired = plan.teardown.map { step -> String in
            switch step {
            case .drain(.pump, _): "drain"
            case .kernel(.deletePassFilter): "pass"
            case .kernel(.deleteDevice): "device"
            default: "other"
            }
        }
        #expect(retired == ["drain", "drain", "pass", "device", "device"])
        for step in plan.teardown { try device.perform(step) }
        #expect(device.passes.isEmpty && device.state.rules.map(\.isPumped) == [false])
        try device.apply(.slowNet, time: 1002, engine: .userspace)
        #expect(device.passes.count == 1 && device.state.rules.map(\.isPumped) == [true])
    }

    /// The hook stays as long as it has filters, and the devices as long as their aliases hold settings to restore.
    @Test func removesItInAnOrderThatLosesNothing() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        try device.reset()
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    /// The devices of a killed pump are gone; its filters then drop the packets that they match.
    @Test func removesTheFiltersOfAPumpThatIsGone() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: .userspace)
        device.ifbs = [:]
        #expect(device.state.hasDangling)
        var memory = Planner.OriginalSettings()
        memory.madeHook = true
        let planner = Planner(device.state, SimulatedDevice.kernel, originals: memory)
        for step in planner.reset().teardown { try device.perform(step) }
        #expect(device.state == SimulatedDevice.ethernet.state)
    }

    /// A plain ingress qdisc holds filters of incoming packets only.
    @Test func conditionsADownlinkUnderAPlainIngressQdisc() throws {
        var device = SimulatedDevice.ethernet
        device.hook = .ingressOnly
        let before = device.state
        let plan = try device.apply(.blackHole, engine: .userspace)
        #expect(plan.taps.map(\.traffic) == [.arriving] && device.passes.isEmpty)
        try device.reset()
        #expect(device.state == before)
        let error = #expect(throws: ConditioningError.self) { try device.plan(.slowNet, engine: .userspace) }
        #expect(error?.remedy?.objects.first?.contains("only has a downlink") == true)
    }

    /// A pump gives a tunnel's packets an Ethernet header, which they have no address for.
    @Test func carriesATunnelsBarePackets() throws {
        var device = SimulatedDevice.tunnel
        let before = device.state
        let plan = try device.apply(.slowNet, engine: .userspace)
        #expect(plan.taps.map(\.traffic) == [.leaving, .arriving])
        #expect(plan.taps.allSatisfy { $0.isBare && $0.address == nil })
        try device.reset()
        #expect(device.state == before)
        #expect(try SimulatedDevice.ethernet.plan(.slowNet, engine: .userspace).taps.allSatisfy { !$0.isBare })
    }

    /// An older kernel would send the pump's Ethernet header to the peer.
    @Test func refusesPPPWhereItsPacketsWouldBeSpoilt() throws {
        var state = SimulatedDevice.tunnel.state
        state.link = .made(5, "ppp0", hardware: .none, kind: "ppp")
        let request = RuleRequest.made(.slowNet, "everything", time: 1)
        let old = Planner(state, KernelFacts(version: KernelVersion(6, 5)))
        let error = #expect(throws: ConditioningError.self) { try old.apply(request, .userspace) }
        #expect(error?.code == .unsupported && error?.message.contains("since Linux 6.6") == true)
        #expect(throws: Never.self) { try Planner(state, SimulatedDevice.kernel).apply(request, .userspace) }
    }

    /// What arrives there would come back with a group address, and the bridge would drop it.
    @Test func conditionsOnlyWhatLeavesABridgesPort() throws {
        var port = SimulatedDevice(3, "eth1", portKind: "bridge")
        let error = #expect(throws: ConditioningError.self) { try port.plan(.slowNet, engine: .userspace) }
        #expect(error?.message.contains("port of a bridge") == true && error?.remedy?.action == .conditionBridge)
        #expect(throws: Never.self) { try port.plan(.slowNet) }
        let plan = try port.apply(Profile("up", uplink: .delay(100)), engine: .userspace)
        #expect(plan.taps.map(\.traffic) == [.leaving])
        // A change to one with a downlink is refused, too.
        #expect(throws: ConditioningError.self) { try port.plan(.slowNet, engine: .userspace) }
    }

    /// No sender has a group address: frames with one have passed a pump of this rule or another.
    @Test(arguments: Engine.allCases) func picksNothingThatWasWrittenBack(engine: Engine) throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet, engine: engine)
        let filter = try #require(device.filters.first { $0.hook == .ingress })
        #expect(filter.program.contains(BPFInstruction(code: 0x54, constant: 1)))
    }

    @Test func leavesWhatAsksNothingAlone() throws {
        let plan = try SimulatedDevice.ethernet.plan(Profile(name: "Nothing"), engine: .userspace)
        #expect(plan.isEmpty && plan.taps.isEmpty && plan.notes.count == 1)
    }
}
