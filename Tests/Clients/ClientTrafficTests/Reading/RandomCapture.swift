// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles
import TestKit

@testable import TestPackets

/// A capture of any packets on any link, as linkcond writes one.
struct RandomCapture {
    private struct Packet {
        var sent: Int64
        /// When the host saw it, by which captures are in order.
        var seen: Int64
        var record: CapturedPacket
    }

    private(set) var records: [CaptureRecord] = [
        .section(application: nil), .interface(CapturedInterface("lo", .raw)),
    ]

    init(using generator: inout SeededGenerator) {
        let delay = Int64.random(in: 0...80_000_000, using: &generator)
        let jitter = generator.isOne(in: 2) ? Int64.random(in: 1...50_000_000, using: &generator) : 1
        let connections = Int.random(in: 1...5, using: &generator)
        var next = Array(repeating: (client: UInt32(7), server: UInt32.max - 20), count: connections)
        var packets: [Packet] = []
        var time: Int64 = 1_000_000_000
        for _ in 0..<Int.random(in: 20...200, using: &generator) {
            time += Int64.random(in: 1...(generator.isOne(in: 9) ? 200_000_000 : 4_000_000), using: &generator)
            let number = Int.random(in: 0..<connections, using: &generator)
            var packet = TestPacket()
            packet.isFromClient = generator.isOne(in: 2)
            packet.clientPort = 50_000 + UInt16(number)
            packet.payload = Array(repeating: 1, count: generator.pick([0, 0, 1, 10, 300]))
            let flags: [TCPHeader.Flags] = [.syn, .answer, .end, [.reset], [.reset, .acknowledgment]]
            packet.flags = number == 4 ? nil : generator.isOne(in: 4) ? generator.pick(flags) : .data
            let ends = next[number]
            packet.sequence = packet.isFromClient ? ends.client : ends.server
            packet.acknowledgment = packet.isFromClient ? ends.server : ends.client
            packet.stamps = (UInt32(time / 1_000_000), UInt32((time - delay) / 1_000_000))
            // Some is sent again, some was sent unseen.
            if generator.isOne(in: 5) { packet.sequence &-= generator.pick([1, 10, 300]) }
            if generator.isOne(in: 20) { packet.sequence &+= generator.pick([1, 10, 300]) }
            let isLong = packet.flags.map { !$0.isDisjoint(with: [.syn, .fin]) } ?? false
            let length = UInt32(packet.payload.count + (isLong ? 1 : 0))
            if packet.isFromClient { next[number].client = packet.sequence &+ length }
            if !packet.isFromClient { next[number].server = packet.sequence &+ length }
            let copies = generator.isOne(in: 10) ? [false, true] : [false]
            for isCopy in copies {
                let actual = delay + Int64.random(in: 0..<jitter, using: &generator)
                packets.append(Self.carried(packet, at: time, delay: actual, isCopy: isCopy, using: &generator))
            }
        }
        packets.sort { $0.seen < $1.seen }
        let isRemarked = generator.isOne(in: 2)
        for index in packets.indices {
            records.append(.packet(packets[index].record))
            guard isRemarked, generator.isOne(in: 12) else { continue }
            let rest = packets[(index + 1)...].map(\.sent).min() ?? packets[index].seen
            var statistics = CaptureStatistics(begin: 0, end: packets[index].seen)
            statistics.completeUntil = min(rest, packets[index].seen)
            records.append(.statistics(statistics, interface: 0))
        }
    }

    private static func carried(
        _ packet: TestPacket,
        at time: Int64,
        delay: Int64,
        isCopy: Bool,
        using generator: inout SeededGenerator
    ) -> Packet {
        let lane: Lane = packet.isFromClient ? .uplink : .downlink
        var fate = PacketFate(
            lane: lane,
            isCopy ? .duplicate : .passed,
            due: .nanoseconds(delay),
            delay: .nanoseconds(delay)
        )
        if !isCopy, generator.isOne(in: 8) {
            fate = PacketFate(lane: lane, .dropped(.randomLoss), due: .nanoseconds(delay), delay: nil)
        } else if !isCopy, generator.isOne(in: 30) {
            fate.fate = .corrupted
        }
        let seen = packet.isFromClient ? time : time + delay
        var record = CapturedPacket(time: seen, bytes: packet.bytes)
        record.comments = [fate.description]
        return Packet(sent: time, seen: seen, record: record)
    }
}
