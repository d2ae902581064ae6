// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import Statistics
import TestKit
import Testing

@testable import ProfileFitting

/// Links of the model, from the log of a ping over them.
@Suite struct KnownLinkTests {
    @Test(arguments: KnownLink.all)
    func recoversItFromPing(link: KnownLink) throws {
        let fitted = try SimulatedPing(link.profile, count: 2000, seed: link.seed).fitted()
        let delay = try #require(fitted.delay)
        let known = try #require(link.figures.delay) / .seconds(1)
        #expect(abs(delay.delay.value / known - 1) <= 0.02, "\(delay.delay.value), not \(known)")
        #expect(fitted.contradictions.isEmpty, "\(fitted.contradictions)")
        if let jitter = link.figures.jitter {
            let found = try #require(delay.jitter)
            #expect(found.kind == jitter.distribution)
            #expect(abs(found.amount.value / (jitter.amount / .seconds(1)) - 1) <= 0.1)
            #expect(try #require(delay.goodness).probability >= 0.001)
        } else {
            #expect(delay.jitter == nil)
        }
        let loss = try #require(fitted.loss)
        if case .gilbertElliott = link.figures.loss { #expect(loss.burst != nil) } else { #expect(loss.burst == nil) }
        #expect(fitted.profile.uplink == fitted.profile.downlink)
    }

    /// A right interval misses its figure in 5 % of all cases: of many, no more and no fewer than chance allows.
    @Test func hasIntervalsThatHoldTheFigure() {
        var held: [String: Int] = [:]
        var all: [String: Int] = [:]
        func count(_ name: String, _ estimate: Estimate, _ value: Double) {
            all[name, default: 0] += 1
            if estimate.range.contains(value) { held[name, default: 0] += 1 }
        }
        for link in KnownLink.all {
            guard let model = link.figures.loss else { continue }
            for repetition in 0..<20 {
                let ping = SimulatedPing(link.profile, count: 3000, seed: link.seed * 1000 + UInt64(repetition))
                let fit = LossFit(ping.trips.map { $0 == nil }).halved()
                guard case .gilbertElliott(let chain) = model else {
                    count("random", fit.share, model.meanLoss)
                    continue
                }
                count("bursty", fit.share, model.meanLoss)
                if let burst = fit.burst, let known = chain.meanBurst { count("burst", burst, known) }
            }
        }
        for (name, trials) in all {
            let bounds = CountDistribution.binomial(trials: trials, probability: 0.95).bounds(error: 0.001)
            #expect(bounds.contains(held[name] ?? 0), "\(name): \(held[name] ?? 0) of \(trials), expected \(bounds)")
        }
        #expect(all.count == 3)
    }

    @Test func hasDelayIntervalsThatHoldTheFigure() throws {
        var held = 0
        let links = KnownLink.all.filter { $0.figures.jitter != nil }
        var trials = 0
        for link in links {
            for repetition in 0..<3 {
                let ping = SimulatedPing(link.profile, count: 300, seed: link.seed * 100 + UInt64(repetition))
                let fit = DelayFit(ping.trips.compactMap { $0 })
                let known = try #require(link.figures.delay) / .seconds(1)
                trials += 1
                if fit.delay.range.contains(known) { held += 1 }
            }
        }
        let bounds = CountDistribution.binomial(trials: trials, probability: 0.95).bounds(error: 0.001)
        #expect(bounds.contains(held), "\(held) of \(trials), expected \(bounds)")
    }

    /// A real link's losses come with delays; a profile with neither is no error.
    @Test func hasNoLossWithoutLosses() throws {
        let fitted = try SimulatedPing(trips: Array(repeating: 0.05, count: 40)).fitted()
        #expect(fitted.profile.downlink?.loss == nil)
        #expect(fitted.profile.downlink?.delay == .milliseconds(25))
        #expect(fitted.figures.contains { $0.name == "loss, round trip" && $0.interval.hasPrefix("0 % to 8.8") })
    }

    @Test func isAllLossWithoutAnswers() throws {
        let fitted = try SimulatedPing(trips: Array(repeating: nil, count: 40)).fitted()
        #expect(fitted.profile.downlink?.loss == .random(.one) && fitted.profile.uplink?.delay == nil)
    }

    @Test func refusesTooFewRoundTrips() {
        #expect(throws: (any Error).self) { try SimulatedPing(trips: Array(repeating: 0.05, count: 9)).fitted() }
    }

    @Test func tellsNoJitterOfFewRoundTrips() throws {
        let trips = (0..<20).map { 0.05 + 0.001 * Double($0 * 7 % 20) }
        let fitted = try SimulatedPing(trips: trips).fitted()
        #expect(fitted.profile.downlink?.jitter == nil)
        #expect(fitted.remarks.contains("20 round trips are too few to tell jitter: 30 are needed"))
    }
}
