// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkRules
import LinuxSystem
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Unsupported requests are refused with reasons before anything is changed.
@Suite struct PlannerRefusalTests {
    private static func refusal(
        _ profile: Profile,
        seed: UInt64? = nil,
        version: KernelVersion = KernelVersion(6, 12)
    ) -> ConditioningError? {
        #expect(throws: ConditioningError.self) {
            try SimulatedDevice.ethernet.plan(profile, seed: seed, kernel: KernelFacts(version: version))
        }
    }

    @Test func namesAScheduleAndATrace() {
        var profile = Profile("Bus", downlink: .with { $0.trace = TraceReference(file: "bus", format: .mahimahi) })
        profile.schedule = Schedule(steps: [Schedule.Step(at: .seconds(1))])
        let error = Self.refusal(profile)
        #expect(error?.code == .unsupported)
        #expect(
            error?.message == "the netem engine does not support all of \"Bus\" on eth0: a schedule, a trace (downlink)"
        )
    }

    @Test(arguments: [nil, .netem] as [Engine?]) func namesTheOtherEngineIfNetemWasAskedFor(engine: Engine?) {
        var uplink = Impairments.rate(8000)
        uplink.competing = [CompetingFlows(.bulk)]
        var request = RuleRequest.made(Profile("Shared", uplink: uplink))
        request.engine = engine
        let error = #expect(throws: ConditioningError.self) {
            try SimulatedDevice.ethernet.planner().apply(request, .netem)
        }
        #expect(error?.remedy == engine.map { _ in Remedy(.useEngine, "userspace") })
    }

    @Test func namesWhatNetemCannotDo() {
        var uplink = Impairments.rate(8000)
        uplink.jitter = Jitter(amount: .seconds(3), ordered: false)
        let error = Self.refusal(Profile("Odd", uplink: uplink))
        #expect(error?.message.contains("jitter above 2.147483647 s (uplink)") == true)
        #expect(error?.message.contains("unordered jitter together with a rate (uplink)") == true)
    }

    @Test func refusesASeedBelowLinux66() throws {
        var seeded = Profile.slowNet
        seeded.seed = 7
        for error in [
            Self.refusal(.slowNet, seed: 7, version: KernelVersion(6, 5)),
            Self.refusal(seeded, version: KernelVersion(6, 1)),
        ] {
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("a seed (needs Linux 6.6; this is 6.") == true)
        }
        let plan = try SimulatedDevice.ethernet.plan(seeded, kernel: KernelFacts(version: KernelVersion(6, 6)))
        #expect(plan.expected.allSatisfy { $0.lane?.netem.seed != nil })
    }

    @Test func prefersTheSeedAskedForToTheProfiles() throws {
        var profile = Profile.delay(1)
        profile.seed = 7
        #expect(RuleRequest.made(profile).seed == 7)
        #expect(RuleRequest.made(profile, seed: 8).seed == 8)
    }

    @Test func refusesMoreSelectorsThanARuleHolds() throws {
        let ports = (50000..<50020).map { "port \($0)" }.joined(separator: " ")
        let error = #expect(throws: ConditioningError.self) { try SimulatedDevice.ethernet.plan(.delay(1), ports) }
        #expect(error?.code == .tooMuch)
        #expect(error?.message.contains("port 50019") == true)
        #expect(error?.remedy != nil)
    }

    /// The kernel would reject the name, or a library would truncate it.
    @Test func refusesNamesThatAnInterfaceCannotHave() throws {
        var device = SimulatedDevice(2_000_000_000, "eth0")
        for port in 1...9 { try device.apply(.slowNet, "port \(port)") }
        let error = #expect(throws: ConditioningError.self) { try device.plan(.slowNet, "port 10") }
        #expect(error?.code == .tooMuch)
        #expect(error?.message.contains("lc2000000000r10n") == true)
    }

    @Test func refusesMoreRulesThanThereArePlaces() throws {
        var device = SimulatedDevice.ethernet
        for port in 1...33 { try device.apply(.slowNet, "port \(port)") }
        #expect(device.filters.map(\.preference).min() == 50000)
        let error = #expect(throws: ConditioningError.self) { try device.plan(.slowNet, "port 34") }
        #expect(error?.code == .tooMuch)
        #expect(error?.message == "eth0 has no room for more than 33 rules")
        #expect(error?.remedy == Remedy(.reset, "eth0"))
        try device.apply(.blackHole, "port 33")
    }

    @Test func refusesAHookSharedWithOtherDevices() {
        var device = SimulatedDevice.ethernet
        device.hook = .clsact
        device.sharesHook = true
        let error = #expect(throws: ConditioningError.self) { try device.plan(.slowNet) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("block") == true)
    }

    @Test func usesAPlainIngressForArrivingPacketsOnly() throws {
        var device = SimulatedDevice.ethernet
        device.hook = .ingressOnly
        let error = #expect(throws: ConditioningError.self) { try device.plan(.slowNet) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("ingress qdisc") == true)
        #expect(error?.remedy?.objects.first?.contains("tc qdisc del dev eth0 ingress") == true)
        let plan = try device.apply(.blackHole)
        #expect(!plan.build.contains(.kernel(.addHook("eth0"))))
        #expect(device.filters.map(\.hook) == [.ingress])
    }

    @Test func refusesAPlainIngressOnLoopback() {
        var device = SimulatedDevice.loopback
        device.hook = .ingressOnly
        #expect(throws: ConditioningError.self) { try device.plan(.delay(1)) }
    }
}
