// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import TestKit

/// A random link with random packets, and the parameters of the oracle.
struct RandomLink {
    var conditions: LaneConditions
    var arrivals: [LinkPipeline.Arrival] = []
    var oracle: BottleneckOracle

    init(_ seed: UInt64, packets: Int = 200) throws {
        var dice = SeededGenerator(seed: seed)
        var impairments = Impairments()
        // From 8 kbit/s to 40 Gbit/s, as often small as large.
        let scale = UInt64(1) << UInt64.random(in: 0...22, using: &dice)
        let rate = UInt64.random(in: 8000..<16_000, using: &dice) * scale
        let frameTime = 1514 * 8_000_000_000 / Int64(rate)
        var queue: (bytes: Int, packets: Int) = (.max, .max)
        if Bool.random(using: &dice) {
            queue.packets = Int.random(in: 1...40, using: &dice)
            impairments.queue = .packets(UInt64(queue.packets))
        } else {
            queue.bytes = Int.random(in: 1...60_000, using: &dice)
            impairments.queue = .bytes(UInt64(queue.bytes))
        }
        if Int.random(in: 0..<3, using: &dice) == 0 {
            impairments.overhead = Overhead(
                packet: Int.random(in: -30...40, using: &dice),
                cell: Bool.random(using: &dice) ? 48 : nil,
                cellOverhead: 5
            )
        }
        Self.chooseDelays(&impairments, &dice, frameTime)

        let capacity: BottleneckOracle.Capacity
        switch Int.random(in: 0..<4, using: &dice) {
        case 0:
            impairments.rate = BitRate(bitsPerSecond: rate)
            conditions = LaneConditions(impairments)
            capacity = .rates([(start: Int64(0), rate: rate)], period: nil)
        case 1:
            var stamps: [UInt32] = []
            for _ in 0..<Int.random(in: 1...50, using: &dice) {
                stamps.append((stamps.last ?? 0) + UInt32(Int.random(in: 0...9, using: &dice) / 2))
            }
            stamps.append((stamps.last ?? 0) + 1)
            let reference = TraceReference(file: "random", format: .mahimahi)
            impairments.trace = reference
            let trace = try Trace(stamps.map(String.init).joined(separator: "\n"), format: .mahimahi)
            conditions = LaneConditions(impairments, traces: [reference: trace])
            let length = stamps.last.map(Int64.init) ?? 1
            // Much longer than the simulation.
            let rounds = 0...(40_000 / length)
            capacity = .chances(rounds.flatMap { round in stamps.map { Int64($0) + round * length } })
        default:
            (conditions, capacity) = Self.schedule(impairments, rate, frameTime, &dice)
        }
        oracle = BottleneckOracle(
            capacity: capacity,
            limitBytes: queue.bytes,
            limitPackets: queue.packets,
            overhead: impairments.overhead
        )

        var distance = max(frameTime * Int64.random(in: 1...40, using: &dice) / 20, 1)
        if case .chances = capacity { distance = Int64.random(in: 1...4_000_000, using: &dice) }
        var time: Int64 = 0
        for _ in 0..<packets {
            arrivals.append(
                .init(time: LinkTime(nanoseconds: time), frameBytes: Int.random(in: 60...1514, using: &dice))
            )
            // Bursts at one moment, and pauses.
            switch Int.random(in: 0..<10, using: &dice) {
            case 0...1: break
            case 2: time += Int64.random(in: 0...distance * 20, using: &dice)
            default: time += Int64.random(in: 0...2 * distance, using: &dice)
            }
        }
    }

    private static func chooseDelays(
        _ impairments: inout Impairments,
        _ dice: inout SeededGenerator,
        _ frameTime: Int64
    ) {
        impairments.delay = .nanoseconds(Int64.random(in: 0...min(20 * frameTime, 5_000_000_000), using: &dice))
        if Bool.random(using: &dice) {
            impairments.jitter = Jitter(
                amount: .nanoseconds(Int64.random(in: 0...min(5 * frameTime, 2_000_000_000), using: &dice)),
                distribution: Jitter.Distribution.allCases.randomElement(using: &dice) ?? .normal,
                ordered: Bool.random(using: &dice)
            )
        }
        let share = { (dice: inout SeededGenerator) in
            Bool.random(using: &dice) ? Probability(percent: Double.random(in: 0...30, using: &dice)) : nil
        }
        impairments.loss = share(&dice).map(LossModel.random)
        impairments.duplicate = share(&dice)
        impairments.corrupt = share(&dice)
        impairments.reorder = share(&dice).map {
            Reorder(probability: $0, gap: Int.random(in: 1...6, using: &dice))
        }
    }

    /// A rate that changes up to five times, at least once above zero, repeating or not.
    private static func schedule(
        _ impairments: Impairments,
        _ rate: UInt64,
        _ frameTime: Int64,
        _ dice: inout SeededGenerator
    ) -> (LaneConditions, BottleneckOracle.Capacity) {
        var rates: [(start: Int64, rate: UInt64)] = [(0, rate)]
        let distance = Int64.random(in: 1...max(frameTime * 10, 1), using: &dice)
        for _ in 0..<Int.random(in: 1...5, using: &dice) {
            let start = (rates.last?.start ?? 0) + Int64.random(in: 1...distance, using: &dice)
            rates.append((start, [0, rate / 3, rate * 2 + 1].randomElement(using: &dice) ?? rate))
        }
        let repeats = Bool.random(using: &dice)
        // Without repetition the last rate must be above zero, or the oracle would not terminate.
        if !repeats { rates[rates.count - 1].rate = rate }
        let period = repeats ? (rates.last?.start ?? 0) + Int64.random(in: 1...distance, using: &dice) : nil
        var base = impairments
        base.rate = BitRate(bitsPerSecond: rate)
        let steps = rates.dropFirst().map { start, rate in
            var overrides = Impairments()
            overrides.rate = BitRate(bitsPerSecond: rate)
            return LaneConditions.Step(at: .nanoseconds(start), overrides: overrides)
        }
        return (
            LaneConditions(base, steps: steps, period: period.map { .nanoseconds($0) }),
            .rates(rates, period: period)
        )
    }
}
