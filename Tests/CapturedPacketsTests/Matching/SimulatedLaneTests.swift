// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import CapturedPackets

/// The matcher against a lane whose deeds are known.
@Suite struct SimulatedLaneTests {
    /// What a lane does.
    struct Link: CustomTestStringConvertible {
        var name: String
        var loss = 0.0
        var duplicate = 0.0
        var corrupt = 0.0
        var jitter: Int64 = 0
        /// Whether all packets have the same bytes.
        var isUniform = false

        var testDescription: String { name }
    }

    private struct Deed: Hashable {
        var outcome: PacketFate.Outcome
        var delay: Int64?
    }

    static let links = [
        Link(name: "loss", loss: 0.3), Link(name: "duplicate", duplicate: 0.2), Link(name: "corrupt", corrupt: 0.2),
        Link(name: "reorder", jitter: 40_000_000),
        Link(name: "everything", loss: 0.2, duplicate: 0.1, corrupt: 0.1, jitter: 40_000_000),
        Link(name: "uniform", loss: 0.3, isUniform: true),
    ]

    @Test(arguments: links, [1, 2, 3] as [UInt64])
    func findsOutWhatTheLaneDid(link: Link, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
        var (entering, leaving): ([PacketSighting], [PacketSighting]) = ([], [])
        var deeds: [Int64: [Deed]] = [:]
        var time: Int64 = 1000
        for number in 0..<2000 {
            time += Int64.random(in: 1...2_000_000, using: &generator)
            let frame = TestFrame(
                isIPv6: link.isUniform || chance(0.5),
                identification: UInt16(number),
                payload: link.isUniform
                    ? [0] : [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: number % 5)
            )
            let lane = link.isUniform ? 0 : number % 2
            entering.append(frame.seen(at: time, in: lane))
            let copies = (chance(link.loss) ? 0 : 1) + (chance(link.duplicate) ? 1 : 0)
            var delays = (0..<copies).map { _ in
                50_000_000 + Int64(number % 7) + Int64.random(in: 0...link.jitter, using: &generator)
            }
            delays.sort()
            for (index, delay) in delays.enumerated() {
                let isCorrupted = chance(link.corrupt)
                let bit = isCorrupted ? Int.random(in: 0..<frame.bytes.count * 8, using: &generator) : nil
                leaving.append(frame.seen(at: time + delay, in: lane, flipping: bit))
                let outcome: PacketFate.Outcome = index > 0 ? .duplicate : isCorrupted ? .corrupted : .passed
                deeds[time, default: []].append(Deed(outcome: outcome, delay: delay))
            }
            if delays.isEmpty { deeds[time] = [Deed(outcome: .dropped)] }
        }
        var found: [Int64: [Deed]] = [:]
        let packets = match(entering, leaving)
        for packet in packets {
            guard let fate = packet.comments.first.flatMap({ PacketFate(comment: $0) }) else { continue }
            let delay = fate.delay.map { $0.components.attoseconds / 1_000_000_000 }
            // Duplicates, and what was received, are told by the time at which they left.
            let hasLeft = delay != nil && (fate.outcome == .duplicate || fate.lane == "downlink")
            let entered = hasLeft ? packet.time - (delay ?? 0) : packet.time
            found[entered, default: []].append(Deed(outcome: fate.outcome, delay: delay))
        }
        #expect(packets.map(\.time) == packets.map(\.time).sorted())
        #expect(packets.count == deeds.values.reduce(0) { $0 + $1.count })
        let wrong = deeds.filter { Set($0.value) != Set(found[$0.key] ?? []) }
        // A bit of ECN that changed in an IPv6 packet may be a mark.
        let (entered, did) = wrong.first.map { ("\($0.key)", "\($0.value)") } ?? ("", "")
        #expect(wrong.count <= (link.corrupt > 0 ? 4 : 0), "\(entered) \(did)")
    }

    /// What the matcher gives out as the sightings come.
    private func match(_ entering: [PacketSighting], _ leaving: [PacketSighting]) -> [CapturedPacket] {
        var matcher = LaneMatcher.ofTwoLanes()
        for lane in 0...1 { matcher.expect(delay: 50_000_000, interface: lane) }
        let all = entering.map { ($0, true) } + leaving.map { ($0, false) }
        var packets: [CapturedPacket] = []
        for (sighting, enters) in all.sorted(by: { $0.0.packet.time < $1.0.packet.time }) {
            if enters { matcher.enter(sighting) } else { matcher.leave(sighting) }
            packets += matcher.all(now: sighting.packet.time)
        }
        return packets + matcher.finish(at: .max)
    }
}
