// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

@Suite struct PlannerLoopbackTests {
    @Test func hangsEveryLaneWherePacketsLeave() throws {
        let plan = try SimulatedDevice.loopback.plan(.slowNet)
        #expect(plan.expected.map(\.filter.hook) == [.egress, .egress, .egress])
        #expect(plan.expected.map(\.name.kind) == [.dns, .uplink, .downlink])
        #expect(plan.expected.map(\.filter.preference) == [50096, 50097, 50098])
    }

    @Test func sendsAnswersThroughTheDownlink() throws {
        let plan = try SimulatedDevice.loopback.plan(.slowNet)
        func lane(_ transport: Transport) throws -> Lane? {
            try plan.expected.first { expected in
                try BPFInterpreter(expected.filter.program).answer(to: .ipv4(transport)) != 0
            }?.name.kind
        }
        #expect(try lane(.udp(from: 40000, to: 53)) == .dns)
        #expect(try lane(.udp(from: 53, to: 40000)) == .downlink)
        #expect(try lane(.tcp(from: 40000, to: 80)) == .uplink)
        #expect(try lane(.tcp(from: 80, to: 40000)) == .downlink)
        #expect(try lane(.icmp(8)) == .uplink)
        #expect(try lane(.icmp(0)) == .downlink)
    }

    /// A remote end with its own address on loopback sends the replies.
    @Test func conditionsTheAnswersOfARemoteEndToo() throws {
        let plan = try SimulatedDevice.loopback.plan(.delay(100), "to 127.0.0.2")
        let (own, remote) = (Address.bytes("127.0.0.1"), Address.bytes("127.0.0.2"))
        func lane(_ packet: Packet) throws -> Lane? {
            try plan.expected.first { try BPFInterpreter($0.filter.program).answer(to: packet) != 0 }?.name.kind
        }
        #expect(try lane(.ipv4(.tcp(from: 40000, to: 80), from: own, to: remote)) == .uplink)
        #expect(try lane(.ipv4(.tcp(from: 80, to: 40000), from: remote, to: own)) == .downlink)
        #expect(try lane(.ipv4(.tcp(from: 40000, to: 80), from: own, to: own)) == nil)
    }

    @Test func lowersTheMTUWhileARateHoldsAndRestoresIt() throws {
        var device = SimulatedDevice.loopback
        let plan = try device.apply(.slowNet)
        #expect(plan.build.contains(.kernel(.setMTU("lo", 1500, previous: 65536))))
        #expect(plan.notes.contains("the MTU of lo is 1500 instead of 65536 until reset"))
        #expect(device.mtu == 1500)
        // A second apply must not remember the lowered MTU as the one to restore.
        try device.apply(.slowNet, time: 2000)
        try device.apply(.slowNet, "port 443", time: 3000)
        #expect(device.mtu == 1500)
        try device.reset()
        #expect(device.mtu == 65536)
    }

    @Test func restoresTheMTUWithTheLastRate() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet)
        try device.apply(.slowNet, "port 443")
        try device.apply(.delay(10))
        #expect(device.mtu == 1500)
        try device.apply(.delay(10), "port 443")
        #expect(device.mtu == 65536)
        try device.reset()
        #expect(device.mtu == 65536)
    }

    @Test func lowersTheMTUBeforeThePacketsCome() throws {
        let build = try SimulatedDevice.loopback.plan(.slowNet).build
        let mtu = try #require(build.firstIndex(of: .kernel(.setMTU("lo", 1500, previous: 65536))))
        let filter = try #require(build.firstIndex { if case .kernel(.addFilter) = $0 { true } else { false } })
        #expect(mtu < filter)
    }

    /// Only the ifbs' aliases hold the MTU; a process killed after deleting the last one would leave it lowered.
    @Test func restoresTheMTUBeforeTheIfbsGo() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet)
        for teardown in [device.planner().reset().teardown, try device.plan(.delay(10)).teardown] {
            let mtu = try #require(teardown.firstIndex(of: .kernel(.setMTU("lo", 65536, previous: 1500))))
            let ifb = try #require(teardown.firstIndex { if case .kernel(.deleteDevice) = $0 { true } else { false } })
            #expect(mtu < ifb)
        }
    }

    @Test func leavesTheMTUWhereNoRateNeedsIt() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.delay(100))
        #expect(device.mtu == 65536)
        device.mtu = 1280
        try device.apply(.slowNet)
        #expect(device.mtu == 1280)
        try device.reset()
        #expect(device.mtu == 1280)
    }

    @Test func keepsAnMTUThatWasChangedSince() throws {
        var device = SimulatedDevice.loopback
        try device.apply(.slowNet)
        device.mtu = 9000
        try device.reset()
        #expect(device.mtu == 9000)
    }

    @Test func leavesTheMTUOfOtherDevices() throws {
        var device = SimulatedDevice(2, "eth0", mtu: 9000)
        let plan = try device.apply(.slowNet)
        #expect(device.mtu == 9000)
        #expect(plan.expected.compactMap(\.lane?.splitter?.burst) == [9022, 9022, 9022])
    }

    @Test func refusesDirectionsThatDiffer() throws {
        for profile in [
            Profile.blackHole, Profile("Up", uplink: .delay(1)),
            Profile("Both", downlink: .delay(1), uplink: .delay(2)),
        ] {
            let error = #expect(throws: ConditioningError.self) { try SimulatedDevice.loopback.plan(profile) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("uplink and downlink that differ, on loopback") == true)
            #expect(error?.message.contains("\"\(profile.name)\" on lo") == true)
        }
    }

    @Test func takesAnAbsentDirectionForAnEmptyOne() throws {
        #expect(
            try SimulatedDevice.loopback.plan(Profile("DNS", downlink: Impairments(), dns: .seconds(1))).expected.count
                == 1
        )
    }

    @Test func saysWhatIsHit() throws {
        let notes = try SimulatedDevice.loopback.plan(.delay(1)).notes
        #expect(notes == ["all of this machine's local traffic goes through lo"])
    }
}
