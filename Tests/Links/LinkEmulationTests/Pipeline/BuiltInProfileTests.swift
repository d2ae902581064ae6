// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkEmulation
import LinkProfiles
import Statistics
import TestKit
import Testing

/// A lane of a profile that comes with the package.
struct BuiltInLane: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let conditions: LaneConditions

    static let all: [BuiltInLane] = {
        let package = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let directory = package.appending(path: "Profiles")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path())) ?? []
        let files = names.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }.sorted()
        return files.flatMap { file -> [BuiltInLane] in
            guard let data = try? Data(contentsOf: directory.appending(path: file)),
                let profile = try? Profile(utf8: data)
            else {
                Issue.record("\(file) cannot be read")
                return []
            }
            var lanes: [BuiltInLane] = []
            for direction in Direction.allCases {
                lanes.append(
                    .init(
                        testDescription: "\(profile.name), \(direction)",
                        conditions: LaneConditions(profile, direction == .uplink ? .uplink : .downlink)
                    )
                )
            }
            if profile.dns != nil {
                lanes.append(
                    .init(
                        testDescription: "\(profile.name), DNS",
                        conditions: LaneConditions(profile, .dns)
                    )
                )
            }
            return lanes
        }
    }()

    /// Lanes that nobody else uses, with a plain queue.
    private static let own = all.filter { !$0.isShared }
    static let shared = all.filter(\.isShared)
    static let constant = own.filter { $0.conditions.steps.isEmpty }
    static let scheduled = own.filter { lane in
        !lane.conditions.steps.isEmpty && lane.rates.allSatisfy { $0 != nil }
    }

    var base: Impairments { conditions.base }

    /// Whether the queue is managed, or others use the lane.
    private var isShared: Bool { base.queueManagement != nil || base.competing != nil }

    /// The base's rate and those of the steps.
    var rates: [BitRate?] {
        [base.rate] + conditions.steps.map { $0.overrides.rate ?? base.rate }
    }

    /// Nanoseconds that a frame of 1514 bytes takes, and the overhead that the profile adds.
    var frameTime: Double {
        let bytes = base.overhead?.wireBytes(ofFrame: 1514) ?? 1514
        return base.rate.map { Double(bytes) * 8e9 / Double($0.bitsPerSecond) } ?? 0
    }
}

@Suite struct BuiltInProfileTests {
    @Test func areAllThere() {
        #expect(BuiltInLane.all.count > 180)
        #expect(BuiltInLane.scheduled.count >= 6)
        #expect(BuiltInLane.shared.count >= 8)
    }

    /// Packets too far apart to wait for each other.
    @Test(arguments: BuiltInLane.constant)
    func delaysAndLosesAsItSays(lane: BuiltInLane) {
        let amount = lane.base.jitter.map { Double($0.amount.nanoseconds) } ?? 0
        let delay = Double((lane.base.delay ?? .zero).nanoseconds)
        let run = Run(lane.conditions).with {
            $0.packets = 5000
            $0.gap = Int64(lane.frameTime + 10 * amount) + 1_000_000
        }
        let delays = run.delays.map(Double.init)
        if amount == 0 {
            let expected = delay + lane.frameTime.rounded(.up)
            #expect(delays.allSatisfy { $0 == expected } || lane.base.reorder != nil)
        } else {
            // What is cut off at zero moves the mean by nothing, or (three deviations of a normal distribution) by 0.0004
            // of them, where 5000 packets have a standard error of 0.014.
            let isUniform = lane.base.jitter?.distribution == .uniform
            #expect(isUniform ? delay >= amount : lane.base.jitter?.distribution == .normal && delay >= 3 * amount)
            #expect(StandardErrors.agrees(meanOf: delays, with: delay + lane.frameTime))
        }
        let loss = lane.base.loss?.meanLoss ?? 0
        var correlation = 0.0
        if case .gilbertElliott(let chain) = lane.base.loss { correlation = 1 - chain.p.fraction - chain.r.fraction }
        let lost = run.losses.count { $0 }
        #expect(
            StandardErrors.agrees(lost, of: run.packets, with: loss, correlation: correlation),
            "\(lost), not \(loss)"
        )
        if lane.base.duplicate == nil { #expect(delays.count == run.packets - lost) }
    }

    /// Bursts of a Gilbert-Elliott chain that loses all in its bad state and nothing in the good one are geometric.
    @Test(arguments: BuiltInLane.constant.filter { if case .gilbertElliott = $0.base.loss { true } else { false } })
    func losesInBurstsAsLongAsItSays(lane: BuiltInLane) throws {
        guard case .gilbertElliott(let chain) = lane.base.loss else { return }
        try #require(chain.lossInBad == .one && chain.lossInGood == .zero)
        let losses = Run(lane.conditions).with {
            $0.packets = 40_000
            $0.gap = Int64(lane.frameTime) + 1_000_000
        }.losses
        // One that the last packet belongs to may not be over.
        let bursts = losses.split(separator: false).dropLast(losses.last == true ? 1 : 0)
        let total = bursts.reduce(0) { $0 + $1.count }
        let expected = CountDistribution.burstTotal(bursts: bursts.count, end: chain.r.fraction)
        #expect(bursts.count > 50 && expected.bounds(error: 1e-6).contains(total), "\(total) in \(bursts.count)")
    }

    /// Packets ten times the jitter apart, each with a delay of its own.
    @Test(arguments: BuiltInLane.constant.filter { $0.base.jitter?.distribution == .uniform })
    func spreadsUniformJitter(lane: BuiltInLane) throws {
        let jitter = try #require(lane.base.jitter)
        let run = Run(lane.conditions).with {
            $0.packets = 4000
            $0.gap = Int64(lane.frameTime) + 10 * jitter.amount.nanoseconds
        }
        let amount = Double(jitter.amount.nanoseconds)
        let minimum = Double((lane.base.delay ?? .zero).nanoseconds) - amount + lane.frameTime
        let places = run.delays.map { (Double($0) - minimum) / (2 * amount) }.sorted()
        let limit = KolmogorovSmirnov.limit(places.count)
        let distances = places.enumerated().map { abs($1 - Double($0) / Double(places.count)) }
        #expect(try #require(distances.max()) < limit)
    }

    /// A burst that the buffer is made to hold leaves frame by frame; the profile's own buffer holds what it says.
    @Test(arguments: BuiltInLane.constant.filter { $0.base.rate != nil })
    func sendsAtItsRateAndHoldsItsBuffer(lane: BuiltInLane) throws {
        var conditions = lane.conditions
        conditions.base.loss = nil
        conditions.base.jitter = nil
        let own = Run(conditions).with {
            $0.packets = 4000
            $0.gap = 0
        }.survivors
        let rate = try #require(lane.base.rate)
        let frame = lane.base.overhead?.wireBytes(ofFrame: 1514) ?? 1514
        let capacity: UInt64 =
            switch lane.base.queue {
            case .packets(let packets): packets
            case .bytes(let bytes): bytes / UInt64(frame)
            case .time(let time): rate.bitsPerSecond * UInt64(time.nanoseconds) / 8_000_000_000 / UInt64(frame)
            case nil: max(16, rate.bitsPerSecond * 3 / 80 / UInt64(frame))
            }
        #expect(own.count == min(Int(capacity), 4000))
        let first = try #require(own.first).nanoseconds
        let last = try #require(own.last).nanoseconds
        // Both ends are rounded up.
        #expect(abs(Double(last - first) - Double(own.count - 1) * lane.frameTime) <= 1)
    }

    /// What others leave of the rate is not more than the rate, and no packet is faster than on an empty link.
    @Test(arguments: BuiltInLane.shared)
    func givesNoMoreThanItsRate(lane: BuiltInLane) throws {
        let rate = try #require(lane.base.rate)
        let run = Run(lane.conditions).with {
            $0.packets = 5000
            $0.gap = Int64(lane.frameTime / 2)
        }
        let sent = run.survivors
        let length = try #require(sent.last).nanoseconds - (try #require(sent.first)).nanoseconds
        let bits = Double(sent.count - 1) * lane.frameTime * Double(rate.bitsPerSecond) / 1e9
        #expect(bits <= Double(rate.bitsPerSecond) * Double(length) / 1e9 + 1)
        #expect(sent.count > 100)
        let jitter = lane.base.jitter?.amount.nanoseconds ?? 0
        let least = Double((lane.base.delay ?? .zero).nanoseconds - jitter) + lane.frameTime
        #expect(try #require(run.delays.min()) >= Int64(least))
    }

    /// Overloaded for a whole period, or for ten seconds after the last step.
    @Test(arguments: BuiltInLane.scheduled)
    func sendsWhatItsScheduleAllows(lane: BuiltInLane) throws {
        let conditions = lane.conditions
        let starts = [0] + conditions.steps.map(\.at.nanoseconds)
        let end = conditions.period?.nanoseconds ?? (starts.last ?? 0) + 10_000_000_000
        var bits = 0.0
        for (index, rate) in lane.rates.enumerated() {
            let stop = index + 1 < starts.count ? starts[index + 1] : end
            bits += Double(rate?.bitsPerSecond ?? 0) * Double(stop - starts[index]) / 1e9
        }
        let highest = lane.rates.compactMap { $0?.bitsPerSecond }.max() ?? 0
        let delays = [conditions.base.delay] + conditions.steps.map { $0.overrides.delay ?? conditions.base.delay }
        var (idle, last) = (Int64(0), Int64(0))
        for delay in delays {
            let delay = (delay ?? .zero).nanoseconds
            idle += max(delay - last, 0)
            last = delay
        }
        var run = Run(conditions)
        run.conditions.base.loss = nil
        for index in run.conditions.steps.indices { run.conditions.steps[index].overrides.loss = nil }
        run.gap = 1514 * 8_000_000_000 / Int64(highest) * 2 / 3
        run.packets = Int(end / run.gap)
        let sent = run.survivors.count { $0.nanoseconds <= end }
        // The link is idle until the first packet has come over its delay, and where a step makes that longer; there and at
        // the end a frame is half sent.
        let frames = Double(conditions.steps.count + 2)
        let unused = Double(highest) * Double(idle + 100_000_000) / 1e9 + frames * 1514 * 8
        #expect(Double(sent) * 1514 * 8 <= bits)
        #expect(Double(sent) * 1514 * 8 >= bits - unused)
    }
}
