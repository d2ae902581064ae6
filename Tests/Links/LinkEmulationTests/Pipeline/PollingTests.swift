// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import TestKit
import Testing

/// Fates do not depend on how often, or when, the caller asks for departures, nor on its clock: a busy machine asks late, and a
/// replay of its packets only at their arrivals.
@Suite struct PollingTests {
    private static let links: Range<UInt64> = 0..<Extent.choose(once: 12, all: 30, soak: 2_000)

    @Test(arguments: QueueManagement.Discipline.allCases)
    func changesNoFateOnASharedLink(discipline: QueueManagement.Discipline) {
        var (drops, marks) = (0, 0)
        for seed in Self.links {
            var dice = SeededGenerator(seed: seed)
            let conditions = Self.conditions(discipline, &dice)
            let arrivals = Self.arrivals(400, &dice)
            var pipeline = LinkPipeline(conditions, seed: seed, start: LinkTime(nanoseconds: 0))
            var expected: [Departure] = []
            pipeline.simulate(arrivals) { expected.append($0) }
            drops += expected.count { $0.drop == .queueManagement || $0.drop == .queueFull }
            marks += expected.count { $0.isMarked }
            for _ in 0..<3 {
                let found = Self.fates(conditions, arrivals, seed: seed, &dice)
                #expect(found.sorted(by: Self.precedes) == expected.sorted(by: Self.precedes), "seed \(seed)")
            }
        }
        // Not a link on which nothing happens.
        #expect(drops > 0 && marks > 0, "\(drops) dropped, \(marks) marked")
    }

    /// The pump's clock began when the machine did, and that of a replay when the capture did.
    @Test(arguments: QueueManagement.Discipline.allCases)
    func areTheSameByAnyClock(discipline: QueueManagement.Discipline) {
        let zero: Int64 = 1 << 50
        for seed in Self.links {
            var dice = SeededGenerator(seed: seed)
            let conditions = Self.conditions(discipline, &dice)
            // Too many from the start on: the queue is full before its discipline acts for the first time.
            let arrivals = (0..<1_000).map { number in
                LinkPipeline.Arrival(
                    time: LinkTime(nanoseconds: Int64(number) * 1_000_000),
                    frameBytes: Frame.fullSizeBytes,
                    ecn: ECNSupport(rawValue: UInt8.random(in: 0...3, using: &dice)) ?? .none,
                    flow: UInt16.random(in: 0...1, using: &dice)
                )
            }
            let later = arrivals.map { arrival in
                var arrival = arrival
                arrival.time.nanoseconds += zero
                return arrival
            }
            var (expected, found): ([Departure], [Departure]) = ([], [])
            var pipeline = LinkPipeline(conditions, seed: seed, start: LinkTime(nanoseconds: 0))
            pipeline.simulate(arrivals) { expected.append($0) }
            pipeline = LinkPipeline(conditions, seed: seed, start: LinkTime(nanoseconds: zero))
            pipeline.simulate(later) { found.append(Departure($0, due: $0.due.nanoseconds - zero)) }
            #expect(found == expected, "seed \(seed)")
        }
    }

    private static func precedes(_ one: Departure, _ other: Departure) -> Bool {
        (one.tag, one.copy) < (other.tag, other.copy)
    }

    /// Asks before, between and after arrivals: for one departure, for all that are due, for the next time, or not at all.
    private static func fates(
        _ conditions: LaneConditions,
        _ arrivals: [LinkPipeline.Arrival],
        seed: UInt64,
        _ dice: inout SeededGenerator
    ) -> [Departure] {
        var pipeline = LinkPipeline(conditions, seed: seed, start: LinkTime(nanoseconds: 0))
        var fates: [Departure] = []
        var now: Int64 = 0
        for (tag, arrival) in arrivals.enumerated() {
            for _ in 0..<Int.random(in: 0...6, using: &dice) {
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: now = Int64.random(in: now...arrival.time.nanoseconds, using: &dice)
                case 1: now = min(max(pipeline.nextDeparture?.nanoseconds ?? now, now), arrival.time.nanoseconds)
                case 2: if let next = pipeline.popDeparture(upTo: LinkTime(nanoseconds: now)) { fates.append(next) }
                default:
                    while let next = pipeline.popDeparture(upTo: LinkTime(nanoseconds: now)) { fates.append(next) }
                }
            }
            let admission = pipeline.accept(
                arrival: arrival.time,
                frameBytes: arrival.frameBytes,
                ecn: arrival.ecn,
                tag: UInt32(tag),
                index: arrival.index,
                flow: arrival.flow
            )
            if case .dropped(let reason) = admission {
                fates.append(Departure(lost: UInt32(tag), at: arrival.time, reason))
            }
            now = arrival.time.nanoseconds
        }
        while let next = pipeline.popDeparture(upTo: .never) { fates.append(next) }
        return fates
    }

    /// A link with everything: losses in bursts, copies, jitter, a rate that changes, and all kinds of competing traffic.
    private static func conditions(
        _ discipline: QueueManagement.Discipline,
        _ dice: inout SeededGenerator
    ) -> LaneConditions {
        var figures = Impairments()
        let rate = UInt64.random(in: 500_000...8_000_000, using: &dice)
        figures.rate = BitRate(bitsPerSecond: rate)
        figures.queue = .packets(UInt64.random(in: 5...120, using: &dice))
        figures.queueManagement = QueueManagement(discipline)
        figures.loss = GilbertElliott(loss: Probability(fraction: 0.02), burst: 3).map(LossModel.gilbertElliott)
        figures.ecn = true
        figures.duplicate = Probability(fraction: 0.02)
        figures.delay = .milliseconds(Int.random(in: 0...30, using: &dice))
        if Bool.random(using: &dice) { figures.jitter = Jitter(amount: .milliseconds(5)) }
        let traffic: [CompetingFlows.Kind] = [
            .bulk, .video(BitRate(bitsPerSecond: rate / 4)), .call(BitRate(bitsPerSecond: 100_000)),
            .web(pagesPerMinute: 20),
        ]
        let chosen = traffic.filter { _ in Bool.random(using: &dice) }
        figures.competing = chosen.isEmpty ? nil : chosen.map(CompetingFlows.init)
        var slower = Impairments()
        slower.rate = BitRate(bitsPerSecond: rate / 3)
        return LaneConditions(figures, steps: [.init(at: .seconds(2), overrides: slower)])
    }

    /// Bursts at one moment, packets close to each other, and pauses, some of which are longer than what is computed
    /// packet by packet.
    private static func arrivals(_ count: Int, _ dice: inout SeededGenerator) -> [LinkPipeline.Arrival] {
        var time: Int64 = 0
        return (0..<count).map { _ in
            switch Int.random(in: 0..<20, using: &dice) {
            case 0..<8: break
            case 8..<18: time += Int64.random(in: 1...4_000_000, using: &dice)
            case 18: time += Int64.random(in: 1...500_000_000, using: &dice)
            default: if Int.random(in: 0..<4, using: &dice) == 0 { time += 30_000_000_000 }
            }
            return LinkPipeline.Arrival(
                time: LinkTime(nanoseconds: time),
                frameBytes: Int.random(in: 60...1514, using: &dice),
                ecn: ECNSupport(rawValue: UInt8.random(in: 0...3, using: &dice)) ?? .none,
                flow: UInt16.random(in: 0...5, using: &dice)
            )
        }
    }
}
