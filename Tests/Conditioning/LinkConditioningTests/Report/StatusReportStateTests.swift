// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import Netlink
@testable import TrafficControl

/// Reports of an inspection.
@Suite struct StatusReportStateTests {
    /// The report on `state`, after a check that it can be encoded and decoded.
    private static func report(_ states: DeviceState..., abandoned: [LaneState] = []) throws -> StatusReport {
        let report = StatusReport(devices: states, abandoned: abandoned)
        #expect(try StatusReport(json: JSON(utf8: report.json.text.utf8)) == report)
        return report
    }

    private static func state(of netem: Netem, statistics: QdiscStatistics? = nil) throws -> DeviceState {
        var device = SimulatedDevice.ethernet
        try device.apply(Profile("P", uplink: .delay(1)))
        var state = device.state
        state.rules[0].lanes[0].qdiscs[0].kind = .netem(netem)
        state.rules[0].lanes[0].qdiscs[0].statistics = statistics
        return state
    }

    @Test func saysWhatWasApplied() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        try device.apply(.delay(50), "port 443", time: 2000)
        let found = try #require(Self.report(device.state).devices.first)
        #expect(found.interface == "eth0" && found.index == 2)
        #expect(found.leftovers.isEmpty && found.danglingFilters.isEmpty)
        #expect(found.rules.map(\.profile) == ["Delay 50", "Slow Net"])
        #expect(found.rules.map(\.traffic.description) == ["port 443", "everything"])
        #expect(found.rules.map(\.since) == [2000, 1000])
        #expect(found.rules.map(\.overlaps) == [[1], [2]])
        #expect(found.rules.allSatisfy { $0.engine == "netem" && $0.userID == 0 && $0.processID == 42 })
        #expect(found.rules[1].lanes.map(\.kind) == [.dns, .uplink, .downlink])
        #expect(found.rules[1].lanes.map(\.device) == ["lc2r1n", "lc2r1u", "lc2r1d"])
        #expect(
            found.rules[1].lanes.map(\.conditions?.delay) == [
                .milliseconds(300), .milliseconds(100), .milliseconds(100),
            ]
        )
        #expect(found.rules[1].lanes.allSatisfy { $0.limitPackets == nil && $0.counters == nil })
        let queue = QueueSize.time(.milliseconds(6056))
        #expect(found.rules[1].lanes.allSatisfy { $0.conditions?.queue == queue })
        #expect(found.rules[0].lanes.allSatisfy { $0.limitPackets != nil && $0.conditions?.queue == nil })
    }

    @Test(arguments: [SimulatedDevice.ethernet, .loopback, .tunnel])
    func survivesTheWireWhateverTheDevice(device: SimulatedDevice) throws {
        var device = device
        try device.apply(.slowNet)
        #expect(try Self.report(device.state, SimulatedDevice.tunnel.state).devices.count == 2)
    }

    @Test func copiesEveryCounter() throws {
        let statistics = QdiscStatistics.made(bytes: 700, packets: 7, queuedPackets: 1, queuedBytes: 98, drops: 2)
        var state = try Self.state(of: Netem(limit: 9), statistics: statistics)
        state.rules[0].lanes[0].matchedPackets = 10
        let lane = try #require(Self.report(state).devices[0].rules[0].lanes.first)
        #expect(lane.matchedPackets == 10)
        #expect(
            lane.counters
                == .init(sentPackets: 7, sentBytes: 700, droppedPackets: 2, heldPackets: 1, heldBytes: 98)
        )
    }

    /// Each packet is held or dropped in one of the qdiscs, and counted in all of those around it.
    @Test func countsEachPacketOnce() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(
            Profile(
                "P",
                uplink: .with {
                    $0.rate = BitRate(bitsPerSecond: 8000)
                    $0.loss = .random(.percent(1))
                }
            )
        )
        var state = device.state
        let drops: [String: UInt32] = ["root": 5, "1:1": 5, "30:1": 2, "20:1": 0]
        for position in state.rules[0].lanes[0].qdiscs.indices {
            let parent = state.rules[0].lanes[0].qdiscs[position].parent.description
            state.rules[0].lanes[0].qdiscs[position].statistics = .made(
                bytes: 700,
                packets: 7,
                queuedPackets: parent == "root" ? 3 : 1,
                queuedBytes: 98,
                drops: drops[parent] ?? 99
            )
        }
        let counters = try #require(Self.report(state).devices[0].rules[0].lanes.first?.counters)
        #expect(counters.droppedPackets == 5 && counters.heldPackets == 3)
    }

    /// Each of the qdiscs and the policer may be deleted by another program; the lane's conditions are then unknown.
    @Test func saysNoConditionsOfALaneThatAnotherProgramHasAltered() throws {
        var profile = Profile.slowNet
        profile.uplink?.loss = .random(.percent(1))
        var device = SimulatedDevice.ethernet
        try device.apply(profile)
        func isKnown(_ change: (inout LaneState) -> Void) throws -> Bool {
            var state = device.state
            let position = try #require(state.rules[0].lanes.firstIndex { $0.name.kind == .uplink })
            change(&state.rules[0].lanes[position])
            let lane = try Self.report(state).devices[0].rules[0].lanes[position]
            #expect(lane.limitPackets == nil)
            return lane.conditions != nil
        }
        #expect(try isKnown { _ in })
        #expect(try isKnown { $0.qdiscs.reverse() })
        #expect(try !isKnown { $0.policer = nil })
        for count in 1...4 { #expect(try !isKnown { $0.qdiscs.removeLast(count) }) }
        #expect(try !isKnown { $0.qdiscs[3].handle = Handle(0x8001) })
    }

    @Test func listsLeftovers() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        device.ifbs["lc2r1u"] = nil
        try device.perform(.kernel(.addIFB("lc2r2d")))
        var vanished = SimulatedDevice(9, "eth7")
        try vanished.perform(.kernel(.addIFB("lc9r1u")))
        let report = try Self.report(device.state, abandoned: vanished.state.orphans)
        #expect(report.leftovers == ["lc9r1u"])
        #expect(report.devices[0].leftovers == ["lc2r2d"])
        #expect(report.devices[0].danglingFilters == device.filters.filter { $0.target == "lc2r1u" }.map(\.preference))
        #expect(report.devices[0].rules[0].lanes.map(\.kind) == [.dns, .downlink])
    }

    @Test func namesOnlyThoseWhoAreAskedFirst() throws {
        var device = SimulatedDevice.ethernet
        try device.apply(.slowNet)
        device.addForeign("2 tcx programs on egress", preference: nil)
        device.addForeign("early filter", preference: 1)
        device.addForeign("late filter", preference: 65535)
        #expect(
            try Self.report(device.state).devices[0].rules[0].askedBefore == [
                "2 tcx programs on egress", "early filter",
            ]
        )
    }

    @Test func saysNothingOfALaneThatIsNotOurs() throws {
        var state = try Self.state(of: Netem(limit: 9))
        state.rules[0].lanes[0].qdiscs[0].kind = .other("pfifo", options: [])
        let lane = try #require(Self.report(state).devices[0].rules[0].lanes.first)
        #expect(lane.conditions == nil && lane.limitPackets == nil && lane.counters == nil)
    }

    /// Other programs may change a lane's qdisc, and a DNS lane's delay is the sum of two.
    @Test func carriesFiguresThatNoProfileMayAskFor() throws {
        var netem = Netem(limit: .max)
        (netem.latency, netem.jitter, netem.reorder, netem.gap) = (.max, .max, .max, .max)
        netem.rate = .init(bytesPerSecond: .max, packetOverhead: .min, cellSize: .max, cellOverhead: .min)
        netem.loss = .fourState(p13: .max, p31: .max, p32: .max, p14: .max, p23: .max)
        (netem.duplicate, netem.corrupt, netem.ecn) = (.max, 1, true)
        var early = Netem(limit: 0)
        (early.latency, early.jitter) = (-5_000_000, 1)
        early.loss = .gilbertElliott(p: 0, r: 0, lossInBad: 1, lossInGood: .max)
        for netem in [netem, early] {
            let lane = try #require(Self.report(Self.state(of: netem)).devices[0].rules[0].lanes.first)
            #expect(lane.limitPackets == netem.limit)
            #expect(lane.conditions?.delay == .nanoseconds(netem.latency))
        }
        var wrapped = Netem(limit: 1)
        wrapped.rate = .init(bytesPerSecond: 1 << 61)
        #expect(try Self.report(Self.state(of: wrapped)).devices[0].rules[0].lanes[0].conditions?.rate?.isZero == true)
    }
}

extension QdiscStatistics {
    /// The kernel's statistics: TCA_STATS2 with TCA_STATS_BASIC and TCA_STATS_QUEUE (linux/gen_stats.h).
    fileprivate static func made(
        bytes: UInt64,
        packets: UInt32,
        queuedPackets: UInt32,
        queuedBytes: UInt32,
        drops: UInt32
    ) -> QdiscStatistics? {
        let low = UInt32(truncatingIfNeeded: bytes)
        let high = UInt32(truncatingIfNeeded: bytes >> 32)
        let basic = attribute(1, [low, high, packets, 0])
        let queue = attribute(3, [queuedPackets, queuedBytes, drops, 0, 0])
        return QdiscStatistics(AttributeReader(bytesOf(attribute(7, basic + queue))[...]))
    }

    private static func attribute(_ type: UInt32, _ words: [UInt32]) -> [UInt32] {
        [type << 16 | UInt32(words.count * 4 + 4)] + words
    }

    private static func bytesOf(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
    }
}
