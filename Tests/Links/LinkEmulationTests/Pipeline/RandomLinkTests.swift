// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkEmulation
import LinkProfiles
import TestKit
import Testing

/// Random links and packets: 10^5 packets, or 10^7 in the soak.
@Suite struct RandomLinkTests {
    private static let links: Range<UInt64> =
        0..<Extent.choose(once: 200, all: 500, soak: 50_000)

    private static func fates(_ conditions: LaneConditions, _ link: RandomLink, seed: UInt64) -> [Departure] {
        var pipeline = LinkPipeline(conditions, seed: seed, start: LinkTime(nanoseconds: 0))
        var fates: [Departure] = []
        pipeline.simulate(link.arrivals) { fates.append($0) }
        return fates
    }

    /// The same link without what the oracle models. Its jitter, losses and copies are the same, by the seed.
    private static func withoutBottleneck(_ conditions: LaneConditions) -> LaneConditions {
        var free = conditions
        free.base.rate = nil
        free.base.trace = nil
        free.steps = []
        return free
    }

    @Test func agreesWithTheDefinitionToTheNanosecond() throws {
        for seed in Self.links {
            let link = try RandomLink(seed)
            let ready = Self.fates(Self.withoutBottleneck(link.conditions), link, seed: seed).filter { $0.drop == nil }
            let expected = link.oracle.departures(
                ready.map { ($0.nanoseconds, link.arrivals[Int($0.tag)].frameBytes) }
            )
            let found = Self.fates(link.conditions, link, seed: seed)
            let leaving = zip(ready, expected).compactMap { packet, due in
                due.map { Departure(packet, due: $0) }
            }
            let sent = found.filter { $0.drop == nil }
            guard sent == leaving else {
                Issue.record("link \(seed) sends \(sent.count) packets, not \(leaving.count), or at other times")
                return
            }
            let dropped = Set(zip(ready, expected).filter { $0.1 == nil }.map { Copy($0.0) })
            let reasons: Set<DropReason?> = [.queueFull, .outage]
            guard Set(found.filter { reasons.contains($0.drop) }.map(Copy.init)) == dropped else {
                Issue.record("link \(seed) drops other packets than the definition")
                return
            }
        }
    }

    @Test func accountsForEveryPacketAndKeepsTheRate() throws {
        for seed in Self.links {
            let link = try RandomLink(seed)
            let base = link.conditions.base
            let fates = Self.fates(link.conditions, link, seed: seed)
            // Every packet is delivered or dropped once, and once more if it was duplicated.
            #expect(Set(fates.map(Copy.init)).count == fates.count)
            #expect(fates.count { $0.copy == 0 } == link.arrivals.count)
            // In the order of time, and not before their arrival.
            #expect(zip(fates, fates.dropFirst()).allSatisfy { $0.due <= $1.due })
            let amount = base.jitter.map { $0.amount * ($0.distribution == .uniform ? 1 : 4) } ?? .zero
            let minimum = base.reorder == nil ? max((base.delay ?? .zero) - amount, .zero) : .zero
            let sent = fates.filter { $0.drop == nil }
            #expect(
                sent.allSatisfy {
                    $0.due.nanoseconds >= link.arrivals[Int($0.tag)].time.nanoseconds + minimum.nanoseconds
                }
            )
            if base.jitter?.ordered ?? true, base.reorder == nil {
                #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.tag <= $1.tag })
            }
            // The frames after the first of any interval fit into its time, plus one nanosecond for rounding.
            if let rate = base.rate, link.conditions.steps.isEmpty, base.overhead == nil {
                var debt: Int128 = 0
                for (last, next) in zip(sent, sent.dropFirst()) {
                    let allowed = Int128(next.nanoseconds - last.nanoseconds) * Int128(rate.bitsPerSecond)
                    let work = Int128(link.arrivals[Int(next.tag)].frameBytes) * 8_000_000_000
                    // The largest excess of any interval that ends here.
                    debt = max(debt, 0) + work - allowed
                    #expect(debt <= Int128(rate.bitsPerSecond))
                }
            }
        }
    }

    /// At any time, the number of arrivals and duplicates equals that of packets delivered, dropped and held; in the end
    /// none is held.
    @Test func accountsForEveryByteAtEveryMoment() throws {
        for seed in Self.links {
            let link = try RandomLink(seed)
            var pipeline = LinkPipeline(link.conditions, seed: seed, start: LinkTime(nanoseconds: 0))
            // Copies of each packet that must be inside; all of them, and their bytes.
            var inside = [Int](repeating: 0, count: link.arrivals.count)
            var (held, bytes, isRight) = (0, 0, true)
            func count(_ packet: Int, _ copies: Int) {
                inside[packet] += copies
                held += copies
                bytes += copies * link.arrivals[packet].frameBytes
                isRight = isRight && inside[packet] >= 0 && pipeline.held == held
            }
            for (tag, arrival) in link.arrivals.enumerated() {
                while let departure = pipeline.popDeparture(upTo: arrival.time) { count(Int(departure.tag), -1) }
                let admission = pipeline.accept(
                    arrival: arrival.time,
                    frameBytes: arrival.frameBytes,
                    tag: UInt32(tag)
                )
                if case .admitted(let copies) = admission { count(tag, copies) }
            }
            while let departure = pipeline.popDeparture(upTo: .never) { count(Int(departure.tag), -1) }
            #expect(isRight && held == 0 && bytes == 0 && pipeline.isEmpty, "link \(seed)")
        }
    }

    /// However late departures are asked for, they are those of the model.
    @Test func doesNotDependOnWhenItIsAsked() throws {
        for seed in Self.links.prefix(Self.links.count / 5) {
            let link = try RandomLink(seed)
            var dice = SeededGenerator(seed: seed)
            var pipeline = LinkPipeline(link.conditions, seed: seed, start: LinkTime(nanoseconds: 0))
            var fates: [Departure] = []
            for (tag, arrival) in link.arrivals.enumerated() {
                while Int.random(in: 0..<4, using: &dice) == 0, let next = pipeline.popDeparture(upTo: arrival.time) {
                    fates.append(next)
                }
                let bytes = arrival.frameBytes
                if case .dropped(let reason) = pipeline.accept(
                    arrival: arrival.time,
                    frameBytes: bytes,
                    tag: UInt32(tag)
                ) {
                    fates.append(Departure(lost: UInt32(tag), at: arrival.time, reason))
                }
            }
            while let next = pipeline.popDeparture(upTo: .never) { fates.append(next) }
            let order: (Departure, Departure) -> Bool = { ($0.tag, $0.copy) < ($1.tag, $1.copy) }
            #expect(fates.sorted(by: order) == Self.fates(link.conditions, link, seed: seed).sorted(by: order))
            #expect(pipeline.isEmpty)
        }
    }
}

/// Which copy of which packet.
private struct Copy: Hashable {
    let tag: UInt32
    let copy: UInt8

    init(_ departure: Departure) {
        tag = departure.tag
        copy = departure.copy
    }
}
