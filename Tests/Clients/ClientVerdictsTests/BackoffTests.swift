// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// How attempts are spaced.
@Suite struct BackoffTests {
    /// Moments at which a client tries that waits so.
    private static func attempts(
        _ count: Int,
        base: Double = 0.5,
        factor: Double,
        cap: Double = .infinity,
        seed: UInt64 = 1,
        _ spread: ClosedRange<Double> = 1...1
    ) -> [Instant] {
        var generator = SeededGenerator(seed: seed)
        var wait = base
        var moments = [Instant(nanoseconds: 1_700_000_000_000_000_000)]
        for _ in 0..<count {
            let actual = min(wait, cap) * Double.random(in: spread, using: &generator)
            moments.append(moments[moments.count - 1] + .seconds(actual))
            wait *= factor
        }
        return moments
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    @Test(arguments: [1, 1.3, 1.5, 1.83, 2, 3], [Double.infinity, 10])
    func isExactWithoutJitter(factor: Double, cap: Double) throws {
        for count in 4...14 {
            let backoff = try #require(Backoff(fitting: Self.attempts(count, factor: factor, cap: cap)))
            #expect(abs(backoff.factor / factor - 1) < 0.05 || count < 6, "\(count): \(backoff)")
            #expect(backoff.gaps == count && backoff.jitter < 0.05 || count < 6, "\(count): \(backoff)")
            #expect(abs(backoff.base / .seconds(0.5) - 1) < 0.05 || count < 6, "\(count): \(backoff)")
        }
        let backoff = try #require(Backoff(fitting: Self.attempts(14, factor: factor, cap: cap)))
        if cap == 10, factor >= 1.3 {
            #expect(try abs(#require(backoff.cap) / .seconds(10) - 1) < 0.05, "\(backoff)")
        } else {
            #expect(backoff.cap == nil, "\(backoff)")
        }
    }

    /// The spread of waits, what their average is of the time that is spread, and the jitter that this is.
    private static let spreads: [(ClosedRange<Double>, Double, Double)] = [
        (0.8...1.2, 1, 0.2), (0.5...1, 0.75, 1.0 / 3), (0...1, 0.5, 1),
    ]

    /// A single client shows its jitter only roughly; those of many agree. With full jitter the first wait, which is not
    /// seen more than once, is 10 % uncertain even then.
    @Test(arguments: spreads, [1.5, 2])
    func isRightOnAverageWithJitter(
        spread: (range: ClosedRange<Double>, average: Double, jitter: Double),
        factor: Double
    )
        throws
    {
        for cap in [Double.infinity, 8] {
            let fits = try (0..<100).map { seed in
                let moments = Self.attempts(16, factor: factor, cap: cap, seed: UInt64(seed), spread.range)
                return try #require(Backoff(fitting: moments))
            }
            let factors = Self.median(fits.map(\.factor))
            let bases = Self.median(fits.map { $0.base / .seconds(0.5 * spread.average) })
            let jitter = Self.median(fits.map(\.jitter))
            #expect(abs(factors / factor - 1) < 0.05, "factor \(factors)")
            #expect(abs(bases - 1) < (spread.jitter == 1 ? 0.1 : 0.05), "base \(bases)")
            #expect(abs(jitter / spread.jitter - 1) < 0.1, "jitter \(jitter)")
            guard cap < .infinity else { continue }
            let caps = Self.median(fits.map { ($0.cap ?? .zero) / .seconds(cap * spread.average) })
            #expect(abs(caps - 1) < 0.05, "cap \(caps)")
        }
    }

    @Test func isWithinFivePercentForEachClientOfLittleJitter() throws {
        let fits = try (0..<200).map { seed in
            try #require(Backoff(fitting: Self.attempts(12, factor: 2, seed: UInt64(seed), 0.9...1.1)))
        }
        let right = fits.count { abs($0.factor / 2 - 1) < 0.05 && abs($0.base / .seconds(0.5) - 1) < 0.05 }
        #expect(right >= 190, "\(right)")
    }

    @Test func tellsConstantWaitsFromGrowingOnes() throws {
        for seed in 0..<100 as Range<UInt64> {
            let constant = try #require(Backoff(fitting: Self.attempts(10, factor: 1, seed: seed, 0.8...1.2)))
            #expect(constant.factor < 1.2, "\(seed): \(constant)")
            let growing = try #require(Backoff(fitting: Self.attempts(10, factor: 2, seed: seed, 0.8...1.2)))
            #expect(growing.factor > 1.5, "\(seed): \(growing)")
        }
    }

    @Test func saysNothingOfTooFewAttempts() {
        for count in 0...2 { #expect(Backoff(fitting: Self.attempts(count, factor: 2)) == nil) }
        #expect(Backoff(fitting: []) == nil)
        #expect(Backoff(fitting: [Instant](repeating: Instant(nanoseconds: 5), count: 100)) == nil)
    }

    /// The kernel sends a SYN again after 1, 2 and 4 s, whatever the client does.
    @Test func countsWhatTheClientDidNotTheKernel() throws {
        var capture = TestCapture()
        for (port, begin) in [(UInt16(50_000), 0), (50_001, 5000), (50_002, 15_000), (50_003, 35_000)] {
            capture.template.clientPort = port
            for resent in [0, 1000, 3000] { capture.client(.syn, 0, at: begin + resent, .lost) }
        }
        let attempts = capture.traffic.attemptsByServer
        #expect(attempts.values.map { $0.map { $0.nanoseconds / 1_000_000_000 } } == [[0, 5, 15, 35]])
        let backoff = try #require(attempts.values.first.flatMap { Backoff(fitting: $0) })
        #expect(abs(backoff.factor - 2) < 0.01 && abs(backoff.base / .seconds(5) - 1) < 0.01)
    }
}

extension ObservedTraffic {
    /// When the client tried to reach each server: the first packet of each connection, since the kernel sends a SYN again
    /// by itself.
    var attemptsByServer: [Endpoint: [Instant]] {
        connections.reduce(into: [:]) { attempts, connection in
            guard let first = connection.attempts.first else { return }
            attempts[connection.server, default: []].append(first.sent)
        }
    }
}
