// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import Reports

/// The search for a client's limit, with simulated clients.
@Suite struct SurvivalSearchTests {
    /// A client that survives at `limit` half of the time, and changes from always to never over a few times `width`.
    private struct Client {
        var limit: Double
        var width: Double
        var generator: SeededGenerator

        mutating func survives(at place: Int) -> Bool {
            let distance = (limit - Double(place)) / max(width, 1e-9)
            let share = distance > 30 ? 1 : distance < -30 ? 0 : 1 / (1 + exp(-distance))
            return Double.random(in: 0..<1, using: &generator) < share
        }
    }

    private func search(_ client: inout Client, runs: Int) -> (search: SurvivalSearch, runs: Int) {
        var search = SurvivalSearch()
        var count = 0
        while count < runs, !search.isDone(precision: 5) {
            let place = search.next
            search.add(client.survives(at: place), at: place)
            count += 1
        }
        return (search, count)
    }

    /// 1000 searches in all.
    @Test(arguments: [0, 0.5, 2, 5, 20])
    func hasTheLimitInItsInterval(width: Double) {
        var generator = SeededGenerator(seed: UInt64(width * 1000) + 11)
        var covered = 0
        for _ in 0..<200 {
            let limit = Double.random(in: -5...105, using: &generator)
            var client = Client(limit: limit, width: width, generator: SeededGenerator(seed: generator.next()))
            let found = search(&client, runs: 30).search
            if Double(found.lower ?? -1000) <= limit, limit <= Double(found.upper ?? 1000) { covered += 1 }
        }
        #expect(covered >= 190)
    }

    /// The interval must not owe its coverage to saying nothing.
    @Test func findsAnAbruptLimitInAFewRuns() {
        var generator = SeededGenerator(seed: 5)
        var counts: [Int] = []
        for _ in 0..<60 {
            let limit = Double.random(in: 3...97, using: &generator)
            var client = Client(limit: limit, width: 0, generator: SeededGenerator(seed: generator.next()))
            let (found, count) = search(&client, runs: 100)
            #expect(found.isDone(precision: 5), "\(limit)")
            #expect(abs(Double(found.estimate) - limit) <= 5)
            counts.append(count)
        }
        #expect(counts.sorted()[30] <= 35)
    }

    /// At the start, and after 12 runs.
    @Test func expectsAboutAsManyRunsAsAnAbruptLimitTakes() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            let limit = Double.random(in: 3...97, using: &generator)
            var client = Client(limit: limit, width: 0, generator: SeededGenerator(seed: generator.next()))
            var search = SurvivalSearch()
            var expected = [search.expectedRuns(precision: 5)]
            var count = 0
            while !search.isDone(precision: 5), count < 100 {
                let place = search.next
                search.add(client.survives(at: place), at: place)
                count += 1
                if count == 12 { expected.append(count + search.expectedRuns(precision: 5)) }
            }
            #expect(expected.allSatisfy { (count / 2...count * 2).contains($0) }, "\(expected), and it took \(count)")
        }
        #expect(search(survivesAll: true).expectedRuns(precision: 5) == 0)
    }

    private func search(survivesAll: Bool) -> SurvivalSearch {
        var search = SurvivalSearch()
        while !search.isDone(precision: 5) { search.add(survivesAll, at: search.next) }
        return search
    }

    @Test(arguments: [true, false])
    func saysThatTheLimitLiesOutside(survives: Bool) {
        var search = SurvivalSearch()
        var count = 0
        while !search.isDone(precision: 5), count < 30 {
            search.add(survives, at: search.next)
            count += 1
        }
        #expect(count <= 20)
        #expect(search.lower == (survives ? 100 : nil))
        #expect(search.upper == (survives ? nil : 0))
    }

    /// Half survive everywhere, so that each bound is a mistake, which one search in twenty may make.
    @Test func seldomBoundsACoin() {
        var claims = 0
        for seed in 0..<200 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var search = SurvivalSearch()
            for _ in 0..<40 { search.add(Bool.random(using: &generator), at: search.next) }
            if search.lower != nil || search.upper != nil { claims += 1 }
        }
        #expect(claims <= 10)
    }
}
