// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import TrafficControl

/// The queue of the bottleneck on netem.
@Suite struct LaneQueueTests {
    private static func translation(_ impairments: Impairments, hasHeader: Bool = true) -> LaneQdiscs.Translation {
        let context = LaneContext(mtu: 1500, hasEthernetHeader: hasHeader, seed: 7)
        return LaneQdiscs.lanes(of: Profile("P", uplink: impairments), context)
    }

    private static func lane(_ change: (inout Impairments) -> Void) throws -> LaneQdiscs {
        let translation = translation(
            .with {
                $0.rate = BitRate(bitsPerSecond: 1_000_000); change(&$0)
            }
        )
        #expect(translation.approximate == [] && translation.unsupported == [])
        return try #require(translation.lanes.first)
    }

    @Test func isCountedInBytesAheadOfTheDelay() throws {
        let lane = try Self.lane { $0.delay = .milliseconds(500) }
        #expect(lane.policer == Policer(bytesPerSecond: 125_000, burst: 4_687_500))
        #expect(lane.path == nil && lane.netem.latency == 500_000_000 && lane.netem.limit == 1_000_000)
        let qdiscs = lane.qdiscs(on: 7)
        #expect(qdiscs.map(\.kind.name) == ["tbf", "prio", "netem"])
        #expect(qdiscs.map(\.parent) == [.root, Handle(1, 1), Handle(0x20, 1)])
        #expect(qdiscs.map(\.handle) == [Handle(1), Handle(0x20), Handle(0x10)])
    }

    /// Packets that are lost take no place in the queue.
    @Test(
        arguments: [
            .with { $0.loss = .random(.percent(10)) },
            .with { $0.reorder = Reorder(probability: .percent(25), gap: 5) },
            .with { $0.jitter = Jitter(amount: .milliseconds(20), ordered: true) },
        ] as [Impairments]
    )
    func isBehindTheImpairmentsThatDecideWhatReachesIt(_ impairments: Impairments) throws {
        var impairments = impairments
        impairments.delay = .milliseconds(100)
        let alone = try #require(Self.translation(impairments).lanes.first).netem
        impairments.rate = BitRate(bitsPerSecond: 1_000_000)
        impairments.corrupt = .percent(1)
        let lane = try #require(Self.translation(impairments).lanes.first)
        var path = try #require(lane.path)
        #expect(path.corrupt > 0 && path.limit == 1_000_000)
        (path.corrupt, path.limit) = (0, alone.limit)
        #expect(path == alone)
        var bottleneck = Netem(limit: 1_000_000)
        bottleneck.rate = Netem.Rate(bytesPerSecond: 125_000)
        #expect(lane.netem == bottleneck)
        let qdiscs = lane.qdiscs(on: 7)
        #expect(qdiscs.map(\.kind.name) == ["tbf", "netem", "prio", "netem"])
        #expect(qdiscs.map(\.parent) == [.root, Handle(1, 1), Handle(0x30, 1), Handle(0x20, 1)])
        #expect(qdiscs.map(\.handle) == [Handle(1), Handle(0x30), Handle(0x20), Handle(0x10)])
    }

    private struct Size: Sendable {
        let queue: QueueSize?
        var rate: UInt64 = 8_000_000
        let nanoseconds: UInt64
    }

    /// At 8 Mbit/s a byte takes a microsecond.
    private static let sizes = [
        Size(queue: .bytes(64_000), nanoseconds: 64_000_000),
        Size(queue: .time(.milliseconds(250)), nanoseconds: 250_000_000),
        Size(queue: nil, nanoseconds: 300_000_000),
        // 16 frames are more than 300 ms.
        Size(queue: nil, rate: 32_000, nanoseconds: 6_056_000_000),
        // On an idle link any frame passes.
        Size(queue: .bytes(64), nanoseconds: 1_522_000),
    ]

    @Test(arguments: sizes.indices) func holdsTheProfilesBytes(_ index: Int) throws {
        let size = Self.sizes[index]
        let lane = try Self.lane {
            $0.rate = BitRate(bitsPerSecond: size.rate)
            $0.queue = size.queue
        }
        let ticks = (size.nanoseconds + 63) / 64
        #expect(try #require(lane.policer).burst == UInt32(ticks))
    }

    @Test func countsTheLinkLayersBytes() throws {
        let cells = try Self.lane { $0.overhead = Overhead(packet: 24, cell: 48, cellOverhead: 5) }
        #expect(cells.policer?.packetOverhead == 24 && cells.policer?.usesATMCells == true)
        let plain = try Self.lane { $0.overhead = Overhead(packet: 18) }
        #expect(plain.policer?.packetOverhead == 18 && plain.policer?.usesATMCells == false)
        let tunnel = Self.translation(.rate(8000), hasHeader: false)
        #expect(tunnel.lanes.first?.policer?.packetOverhead == 14)
    }

    @Test func inPacketsIsNetemsOwnLimitBehindWhatIsInFlight() throws {
        let plain = try Self.lane { $0.queue = .packets(50) }
        #expect(plain.netem.limit == 50 && plain.path == nil && plain.policer == nil)
        let late = try Self.lane {
            $0.queue = .packets(50)
            $0.delay = .milliseconds(500)
        }
        #expect(late.netem.limit == 50 && late.netem.latency == 0 && late.policer == nil)
        #expect(late.path?.latency == 500_000_000 && late.path?.rate == Netem.Rate())
        #expect(late.qdiscs(on: 7).map(\.parent) == [.root, Handle(1, 1), Handle(0x30, 1)])
    }

    @Test func isReadBack() throws {
        let impairments = Impairments.with {
            $0.rate = BitRate(bitsPerSecond: 1_000_000)
            $0.queue = .time(.milliseconds(300))
            $0.delay = .milliseconds(100)
            $0.jitter = Jitter(amount: .milliseconds(20), ordered: true)
            $0.loss = .random(.percent(10))
            $0.ecn = true
        }
        #expect(Self.translation(impairments).lanes.first?.impairments == impairments)
    }

    @Test func drainsInTheTimeOfTheDelayAndTheQueue() throws {
        let lane = try Self.lane {
            $0.delay = .milliseconds(100)
            $0.loss = .random(.percent(1))
        }
        #expect(lane.longestStay == .milliseconds(400))
    }

    /// The kernel allows no second netem where one duplicates.
    @Test func staysInPacketsWhereThatIsImpossibleAndSaysWhy() throws {
        func reasons(_ change: (inout Impairments) -> Void) -> [String] {
            let translation = Self.translation(
                .with {
                    $0.rate = BitRate(bitsPerSecond: 1000); change(&$0)
                }
            )
            #expect(translation.lanes.allSatisfy { $0.path == nil && $0.policer == nil && $0.netem.limit < 100 })
            return translation.approximate
        }
        let duplicates = reasons {
            $0.duplicate = .percent(1)
            $0.loss = .random(.percent(1))
        }
        #expect(duplicates == ["duplicates together with a rate and loss, jitter or reordering (uplink)"])
        let cells = reasons { $0.overhead = Overhead(packet: 0, cell: 64, cellOverhead: 4) }
        #expect(cells == ["a queue in bytes together with cells other than ATM's (uplink)"])
        let negative = reasons { $0.overhead = Overhead(packet: -8) }
        #expect(negative == ["a queue in bytes together with an overhead of -8 bytes (uplink)"])
        #expect(reasons { $0.queue = .bytes(34_360) } == ["a queue of more than 274 s (uplink)"])
    }

    /// Duplicates enter the lane again at its root, and so pass the policer.
    @Test func isCountedInBytesWithDuplicatesAlone() throws {
        let lane = try Self.lane { $0.duplicate = .percent(1) }
        #expect(lane.path == nil && lane.policer != nil && lane.netem.duplicate > 0)
    }
}
