// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkEmulation
import LinkProfiles
import Statistics
import TestKit
import Testing

@Suite struct JitterTests {
    private static let delay = 100.0
    private static let amount = 10.0

    private static func run(_ distribution: Jitter.Distribution, ordered: Bool = false) -> Run {
        Run {
            $0.delay = .milliseconds(Int(delay))
            $0.jitter = Jitter(amount: .milliseconds(Int(amount)), distribution: distribution, ordered: ordered)
        }.with { $0.packets = 20_000 }
    }

    /// A Pareto quantile function of shape 3, and a normal distribution function, with the C library.
    private static func normal(_ x: Double) -> Double { erfc(-x / 2.0.squareRoot()) / 2 }

    /// The distribution function of a table, in deviations from the mean: what the quantile function of
    /// `distribution` gives, cut at four deviations, with the mean and deviation that it has after the cut.
    private static func distributionFunction(_ distribution: Jitter.Distribution) -> (Double) -> Double {
        // Both are written as functions of a normal deviate, and turned around by bisection.
        let raw: (Double) -> Double =
            switch distribution {
            case .uniform, .normal: { $0 }
            case .pareto: { pow(normal(-$0), -1.0 / 3) }
            case .paretonormal: { 0.25 * $0 + 0.75 * pow(normal(-$0), -1.0 / 3) }
            }
        let step = 0.001
        let grid = stride(from: -8.0, through: 8, by: step).map { x in
            (value: raw(x), weight: exp(-x * x / 2) / (2 * Double.pi).squareRoot() * step)
        }
        let limit = 32767.0 / 8192
        var (mean, deviation, cut) = (0.0, 1.0, Double.infinity)
        for _ in 0..<200 {
            mean = grid.reduce(0) { $0 + min($1.value, cut) * $1.weight }
            deviation = grid.reduce(0) { $0 + pow(min($1.value, cut) - mean, 2) * $1.weight }.squareRoot()
            cut = mean + limit * deviation
        }
        return { [mean, deviation] position in
            if position >= limit { return 1 }
            let value = mean + deviation * position
            var (low, high) = (-9.0, 9.0)
            for _ in 0..<60 {
                let middle = (low + high) / 2
                if raw(middle) <= value { low = middle } else { high = middle }
            }
            return normal(low)
        }
    }

    @Test(arguments: [Jitter.Distribution.normal, .pareto, .paretonormal])
    func followsTheDistribution(distribution: Jitter.Distribution) {
        let expected = Self.distributionFunction(distribution)
        let positions = Self.run(distribution).delays.map { (Double($0) / 1e6 - Self.delay) / Self.amount }.sorted()
        let limit = KolmogorovSmirnov.limit(positions.count)
        for (rank, position) in positions.enumerated() where rank % 50 == 0 {
            #expect(abs(expected(position) - Double(rank) / Double(positions.count)) < limit + 1.0 / 4096)
        }
        #expect(StandardErrors.agrees(meanOf: positions, with: 0))
        // The fourth moment of none of them is above 18 (Pareto, cut at four deviations).
        let error = (18 / Double(positions.count)).squareRoot()
        #expect(abs(positions.variance - 1) < StandardErrors.limit * error)
    }

    @Test func spreadsUniformlyOverItsHalfWidth() {
        let delays = Self.run(.uniform).delays.map { Double($0) / 1e6 }.sorted()
        let limit = KolmogorovSmirnov.limit(delays.count)
        for (rank, delay) in delays.enumerated() {
            #expect(abs((delay - 90) / 20 - Double(rank) / Double(delays.count)) < limit)
        }
        #expect(delays.allSatisfy { (90..<110).contains($0) })
        #expect(StandardErrors.agrees(meanOf: delays, with: 100))
    }

    @Test(arguments: Jitter.Distribution.allCases)
    func isTheRunningMaximumWhereOrdered(distribution: Jitter.Distribution) {
        let run = Self.run(distribution, ordered: true)
        var latest: Int64 = 0
        let expected = Self.run(distribution).survivors.sorted { $0.tag < $1.tag }.map { departure in
            latest = max(latest, departure.nanoseconds)
            return latest
        }
        #expect(run.survivors.map(\.nanoseconds) == expected)
        #expect(run.survivors.map(\.tag) == Array(0..<UInt32(run.packets)))
    }

    @Test func overtakesWhereNotOrdered() {
        let tags = Self.run(.normal).survivors.map(\.tag)
        #expect(zip(tags, tags.dropFirst()).contains { $0 > $1 })
        #expect(tags.sorted() == Array(0..<20_000))
    }

    @Test func isNeverNegative() {
        let run = Run {
            $0.delay = .milliseconds(1)
            $0.jitter = Jitter(amount: .milliseconds(20), distribution: .normal, ordered: false)
        }.with { $0.packets = 5000 }
        #expect(run.delays.allSatisfy { $0 >= 0 })
        // Below -0.05 deviations.
        #expect(StandardErrors.agrees(run.delays.count { $0 == 0 }, of: 5000, with: Self.normal(-0.05)))
    }

    @Test func isTheDelayAloneWhereJitterIsZero() {
        let run = Run {
            $0.delay = .milliseconds(7)
            $0.jitter = Jitter(amount: .zero, distribution: .pareto, ordered: false)
        }
        #expect(run.delays.allSatisfy { $0 == 7_000_000 })
    }

    @Test func acceptsTheLongestFigures() {
        let run = Run {
            $0.delay = .seconds(3600)
            $0.jitter = Jitter(amount: .seconds(3600), distribution: .pareto)
        }
        #expect(run.survivors.count == run.packets)
    }
}
