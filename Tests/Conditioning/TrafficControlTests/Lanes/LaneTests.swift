// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import PacketPump
@testable import TrafficControl

@Suite struct LaneTests {
    private static let context = LaneContext(mtu: 1500, hasEthernetHeader: true, seed: nil)

    private static func lanes(_ profile: Profile) -> [Lane: LaneQdiscs] {
        Dictionary(uniqueKeysWithValues: LaneQdiscs.lanes(of: profile, context).lanes.map { ($0.kind, $0) })
    }

    @Test func delaysQueriesByTheUplinksDelayAndTheirOwn() throws {
        let lanes = Self.lanes(.slowNet)
        #expect(Set(lanes.keys) == [.dns, .uplink, .downlink])
        #expect(lanes[.dns]?.netem.latency == 300_000_000)
        #expect(lanes[.uplink]?.netem.latency == 100_000_000)
        #expect(lanes.values.allSatisfy { $0.netem.rate.bytesPerSecond == 4000 })
    }

    @Test func givesQueriesTheRestOfTheUplinkToo() throws {
        let dns = try #require(Self.lanes(Profile("P", uplink: .loss(10), dns: .seconds(1)))[.dns])
        #expect(dns.netem.loss == .random(429_496_730))
        #expect(dns.netem.latency == 1_000_000_000)
        let alone = try #require(Self.lanes(Profile("P", downlink: .loss(10), dns: .seconds(1)))[.dns])
        #expect(alone.netem.loss == .random(0))
        #expect(alone.splitter == nil)
    }

    @Test func makesNoLaneForWhatIsUntouched() {
        #expect(Self.lanes(Profile("P")).isEmpty)
        #expect(Self.lanes(Profile("P", downlink: Impairments(), uplink: Impairments())).isEmpty)
        #expect(Set(Self.lanes(.blackHole).keys) == [.downlink])
        #expect(Set(Self.lanes(Profile("P", dns: .zero)).keys) == [.dns])
    }

    @Test(
        arguments: [
            (.rate(8000), true), (.loss(0), true), (.with { $0.corrupt = .percent(1) }, true),
            (.with { $0.duplicate = .percent(1) }, true),
            (.with { $0.reorder = Reorder(probability: .percent(1)) }, true),
            (.with { $0.jitter = Jitter(amount: .milliseconds(1)) }, true), (.delay(100), false),
            (.with { $0.ecn = true }, false),
        ] as [(Impairments, Bool)]
    )
    func splitsSuperPacketsWhereEachWirePacketCounts(impairments: Impairments, isSplit: Bool) throws {
        let profile = Profile("P", uplink: impairments, dns: .seconds(1))
        let lanes = Self.lanes(profile)
        for kind in [Lane.uplink, .dns] {
            #expect((try #require(lanes[kind]).splitter != nil) == isSplit, "netem")
            #expect(LaneNeeds(LaneConditions(profile, kind)).wirePackets == isSplit, "userspace")
        }
    }

    @Test(arguments: [(576, 1522), (1500, 1522), (9000, 9022), (65536, 65558)] as [(UInt32, UInt32)])
    func splitsByABucketOfOneFrame(mtu: UInt32, burst: UInt32) throws {
        let context = LaneContext(mtu: mtu, hasEthernetHeader: true, seed: nil)
        let lane = try #require(LaneQdiscs.lanes(of: Profile("P", uplink: .rate(8000)), context).lanes.first)
        #expect(lane.splitter == TokenBucket(bytesPerSecond: 3_750_000_000, burst: burst, limit: burst))
    }

    @Test func putsNetemBelowTheSplitterOrAtTheRoot() throws {
        let split = try #require(Self.lanes(Profile("P", uplink: .loss(1)))[.uplink]).qdiscs(on: 7)
        #expect(split.map(\.kind.name) == ["tbf", "netem"])
        #expect(split.map(\.parent) == [.root, Handle(1, 1)])
        #expect(split.map(\.handle) == [Handle(1), Handle(0x10)])
        #expect(split.allSatisfy { $0.link == 7 })
        let plain = try #require(Self.lanes(Profile("P", uplink: .delay(1)))[.uplink]).qdiscs(on: 7)
        #expect(plain.map(\.kind.name) == ["netem"])
        #expect(plain.first?.parent == .root)
    }
}
