// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import Statistics
import TestKit
import Testing

@testable import ProfileFitting

/// Links that nothing was adjusted to: a few that are always the same, or in the soak 500 others in every run.
/// LINKCOND_SEED names one, or the first and the last one, as "5-9".
@Suite struct FreshLinkTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds: Range<UInt64> = {
        let seeds = environment["LINKCOND_SEED"]?.split(separator: "-").compactMap { UInt64($0) } ?? []
        if let first = seeds.first, let last = seeds.last { return first..<last + 1 }
        guard Extent.current == .soak else { return 1000..<Extent.choose(once: 1006, all: 1030, soak: 1030) }
        let first = UInt64.random(in: 10_000...1_000_000_000)
        return first..<first + 500
    }()

    /// How often something held, of how often it was expected to, and of which seeds it did not.
    private struct Counts {
        private var counts: [String: (all: Int, failed: [UInt64])] = [:]

        mutating func add(_ name: String, _ seed: UInt64, _ holds: Bool) {
            counts[name, default: (0, [])].all += 1
            if !holds { counts[name]?.failed.append(seed) }
        }

        /// Each must hold with so high a probability at least, and fails by chance in one of 1000 runs.
        func check(_ shares: KeyValuePairs<String, Double>) {
            for (name, share) in shares {
                guard let (all, failed) = counts[name] else { continue }
                let minimum = CountDistribution.binomial(trials: all, probability: share).bounds(error: 0.002)
                    .lowerBound
                #expect(all - failed.count >= minimum, "\(name): not \(failed.count) of \(all), of the seeds \(failed)")
                if seeds.count > 100 { print("\(name): \(all - failed.count) of \(all)") }
            }
        }
    }

    @Test func areRecoveredFromPings() throws {
        var counts = Counts()
        for seed in Self.seeds {
            let link = KnownLink(seed: seed)
            let fitted = try SimulatedPing(link.profile, count: 2000, seed: seed).fitted()
            let (known, delay) = (try #require(link.figures.delay) / .seconds(1), try #require(fitted.delay))
            #expect(abs(delay.delay.value / known - 1) <= 0.02, "seed \(seed)")
            counts.add("delay's interval", seed, delay.delay.range.contains(known))
            #expect((delay.jitter == nil) == (link.figures.jitter == nil), "seed \(seed)")
            if let jitter = link.figures.jitter, let found = delay.jitter {
                counts.add("jitter's interval", seed, found.amount.range.contains(jitter.amount / .seconds(1)))
                counts.add("kind of jitter", seed, delay.otherKind != nil || found.kind == jitter.distribution)
            }
            counts.add("one mode", seed, !fitted.contradictions.contains { $0.contains("two modes") })
            counts.add("no change", seed, !fitted.contradictions.contains { $0.contains("round trip ") })
            counts.add("a good fit", seed, fitted.contradictions.isEmpty)
            guard let model = link.figures.loss else { continue }
            let losses = LossFit(SimulatedPing(link.profile, count: 3000, seed: seed &+ 1).trips.map { $0 == nil })
            counts.add("loss's interval", seed, losses.halved().share.range.contains(model.meanLoss))
            guard case .gilbertElliott(let chain) = model else {
                counts.add("no bursts", seed, losses.burst == nil)
                continue
            }
            guard let burst = losses.halved().burst, let length = chain.meanBurst else { continue }
            counts.add("burst's interval", seed, burst.range.contains(length))
        }
        counts.check([
            "delay's interval": 0.95, "jitter's interval": 0.95, "loss's interval": 0.95, "burst's interval": 0.95,
            "kind of jitter": 0.95, "one mode": 0.99, "no change": 0.999, "no bursts": 0.99, "a good fit": 0.99,
        ])
    }

    /// Where the figures are said to be known to a hundredth, they are within two.
    @Test func areRecoveredFromCaptures() throws {
        var counts = Counts()
        for seed in Self.seeds {
            let (profile, window) = CapturedLinkTests.link(seed)
            guard window < Self.maximumPackets else { continue }
            let capture = SimulatedCapture(profile, seed: seed, segments: max(400, 4 * window), window: window)
            let fitted = try capture.fitted()
            for (known, found) in [(profile.downlink, fitted.rates.down), (profile.uplink, fitted.rates.up)] {
                let known = Double(try #require(known?.rate).bitsPerSecond)
                counts.add("a rate", seed, found?.rate != nil)
                guard let rate = found?.rate else { continue }
                let isSure = rate.range.upperBound - rate.range.lowerBound <= 0.02 * rate.value
                #expect(!isSure || abs(rate.value / known - 1) <= 0.02, "seed \(seed): \(rate), not \(known)")
                counts.add("rate within 2 %", seed, abs(rate.value / known - 1) <= 0.02)
                counts.add("rate's interval", seed, rate.widened(by: 0.0005 * known).range.contains(known))
            }
            let (known, delay) = (try #require(profile.downlink?.delay) / .seconds(1), try #require(fitted.delay).delay)
            let isSure = delay.range.upperBound - delay.range.lowerBound <= 0.02 * delay.value
            #expect(!isSure || abs(delay.value / known - 1) <= 0.02, "seed \(seed): \(delay), not \(known)")
            // The profile's rates are rounded, and so is what is subtracted for them.
            counts.add("delay's interval", seed, delay.widened(by: 0.001 * known).range.contains(known))
            counts.add("delay within 2 %", seed, abs(delay.value / known - 1) <= 0.02)
            counts.add("one mode", seed, !fitted.contradictions.contains { $0.contains("two modes") })
            counts.add("a good fit", seed, fitted.contradictions.isEmpty)
        }
        counts.check([
            "a rate": 0.99, "rate within 2 %": 0.99, "rate's interval": 0.95, "delay within 2 %": 0.98,
            "delay's interval": 0.95, "one mode": 0.99, "a good fit": 0.99,
        ])
    }

    /// With a tenth of the packets under way, most links are idle most of the time: that their rate is not known is right.
    @Test func haveNoWrongRateWhereNothingSaturatesThem() throws {
        for seed in Self.seeds {
            let (profile, full) = CapturedLinkTests.link(seed)
            let window = max(full / 10, 1)
            guard full < Self.maximumPackets else { continue }
            let capture = SimulatedCapture(profile, seed: seed, segments: max(400, 4 * window), window: window)
            let fitted = try capture.fitted()
            for (known, found) in [(profile.downlink, fitted.rates.down), (profile.uplink, fitted.rates.up)] {
                let (known, found) = (Double(try #require(known?.rate).bitsPerSecond), try #require(found))
                #expect(found.atLeast <= 1.01 * known, "seed \(seed): \(found.atLeast), not \(known)")
                guard let rate = found.rate else { continue }
                let isRight = abs(rate.value / known - 1) <= 0.02 || rate.range.contains(known)
                #expect(isRight, "seed \(seed): \(rate), not \(known)")
            }
        }
    }

    /// Round trips that are longer by half or more, of a tenth of the packets or more: apart from each other by jitter.
    @Test func areCalledTwoWhereTheyAre() throws {
        var counts = Counts()
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed &+ 1)
            let (link, share) = (KnownLink(seed: seed), Double.random(in: 0.1...0.5, using: &random))
            let variation = (link.figures.jitter?.amount ?? .zero) / (try #require(link.figures.delay))
            let ratio = max(1.5, 1 + 8 * variation)
            let trips = SimulatedPing(link.profile, count: 300, seed: seed).trips.map { trip in
                trip.map { Double.random(in: 0..<1, using: &random) < share ? ratio * $0 : $0 }
            }
            let fitted = try SimulatedPing(trips: trips).fitted()
            counts.add("two modes", seed, fitted.contradictions.contains { $0.contains("two modes") })
        }
        counts.check(["two modes": 0.9])
    }

    /// A schedule, or a trace in steps: another rate every few windows.
    @Test func areCalledChangingWhereTheirRateDoes() throws {
        var counts = Counts()
        for seed in Self.seeds {
            var (profile, window) = CapturedLinkTests.link(seed)
            guard window < Self.maximumPackets / 4 else { continue }
            var random = SeededGenerator(seed: seed &+ 2)
            let rates = [profile.downlink, profile.uplink].compactMap(\.?.rate?.bitsPerSecond).map { Double($0) }
            let period = max(4 * Double(window) * 1514 * 8 / (rates.max() ?? 1), 0.5)
            let steps = (0..<40).map { index in
                let factor = Double.random(in: 0.25...1, using: &random)
                var step = Schedule.Step(at: .milliseconds(Int64(Double(index) * period * 1000)))
                (step.downlink, step.uplink) = (Impairments(), Impairments())
                step.downlink?.rate = BitRate(bitsPerSecond: UInt64(factor * rates[0]))
                step.uplink?.rate = BitRate(bitsPerSecond: UInt64(factor * rates[1]))
                return step
            }
            profile.schedule = Schedule(steps: steps, repeat: .milliseconds(Int64(40 * period * 1000)))
            let segments = max(1000, 20 * window)
            let fitted = try SimulatedCapture(profile, seed: seed, segments: segments, window: window).fitted()
            let hasRate = fitted.rates.down?.rate != nil || fitted.rates.up?.rate != nil
            counts.add("a changing rate", seed, !hasRate || !fitted.contradictions.isEmpty)
        }
        counts.check(["a changing rate": 0.9])
    }

    /// The simulation of more takes long.
    private static let maximumPackets = Extent.choose(once: 400, all: 400, soak: 3000)
}
