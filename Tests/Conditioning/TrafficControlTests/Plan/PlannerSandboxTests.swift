// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// Loopback of a network namespace with reserved ephemeral ports, so that ports identify the side that opened a flow.
@Suite struct PlannerSandboxTests {
    private static let facts = KernelFacts(version: KernelVersion(6, 1), ephemeralPorts: 49152...65535)

    private static func plan(_ profile: Profile, on device: SimulatedDevice = .loopback) throws -> Plan {
        try Planner(device.state, facts, portsTellOpener: true).apply(.made(profile))
    }

    /// The lane that a packet enters; nil for none.
    private static func lane(_ transport: Transport, _ plan: Plan) throws -> Lane? {
        let filters = plan.expected.sorted { $0.filter.preference < $1.filter.preference }
        return try filters.first { try BPFInterpreter($0.filter.program).answer(to: .ipv4(transport)) != 0 }?.name.kind
    }

    @Test func tellsTheDirectionsOfLoopbackApart() throws {
        let plan = try Self.plan(Profile("Uneven", downlink: .delay(20), uplink: .delay(100)))
        #expect(try Self.lane(.tcp(from: 60000, to: 80), plan) == .uplink)
        #expect(try Self.lane(.tcp(from: 80, to: 60000), plan) == .downlink)
        #expect(try Self.lane(.tcp(from: 60000, to: 60001), plan) == .uplink)
        #expect(try Self.lane(.tcp(from: 60001, to: 60000), plan) == .downlink)
        #expect(try Self.lane(.udp(from: 5300, to: 60000), plan) == .downlink)
    }

    /// The opener's packets are not conditioned if only the downlink is described.
    @Test func leavesTheOtherDirectionAlone() throws {
        let plan = try Self.plan(.blackHole)
        #expect(try Self.lane(.tcp(from: 60000, to: 80), plan) == nil)
        #expect(try Self.lane(.udp(from: 60000, to: 5300), plan) == nil)
        #expect(try Self.lane(.icmp(8), plan) == nil)
        #expect(try Self.lane(.tcp(from: 80, to: 60000), plan) == .downlink)
        #expect(try Self.lane(.icmp(0), plan) == .downlink)
    }

    @Test func saysNothingAboutTheMachinesOwnTraffic() throws {
        #expect(try Self.plan(.delay(10)).notes.isEmpty)
        #expect(try !SimulatedDevice.loopback.plan(.delay(10)).notes.isEmpty)
    }

    @Test func conditionsOtherDevicesAsEver() throws {
        let plan = try Self.plan(Profile("Uneven", downlink: .delay(20), uplink: .delay(100)), on: .ethernet)
        #expect(
            plan.expected
                == (try SimulatedDevice.ethernet.plan(
                    Profile("Uneven", downlink: .delay(20), uplink: .delay(100)),
                    kernel: Self.facts
                ).expected)
        )
    }
}
