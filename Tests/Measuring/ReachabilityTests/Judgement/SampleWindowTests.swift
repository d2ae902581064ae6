// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Probing
@testable import Reachability

@Suite struct SampleWindowTests {
    /// The same, by definition instead of by counting along.
    private struct Model {
        let policy: Policy
        var samples: [(time: Duration, roundTrip: Duration?)] = []

        mutating func add(_ roundTrip: Duration?, at time: Duration) {
            samples.append((time, roundTrip))
            samples = samples.suffix(policy.windowSamples).filter { $0.time >= time - policy.windowTime }
        }

        var loss: Double? {
            samples.isEmpty ? nil : Double(samples.filter { $0.roundTrip == nil }.count) / Double(samples.count)
        }

        /// The smallest round-trip time that so many percent of the answers do not exceed.
        func percentile(_ percent: Int) -> Duration? {
            let times = samples.compactMap(\.roundTrip)
            return times.sorted().first { limit in times.filter { $0 <= limit }.count * 100 >= percent * times.count }
        }
    }

    @Test(arguments: [1, 2, 19, 20, 21, 60])
    func agreesWithANaiveModel(samples: Int) {
        var policy = Policy()
        policy.windowSamples = samples
        policy.windowTime = .seconds(40)
        policy.slowRoundTrip = .milliseconds(50)
        var dice = SeededGenerator(seed: UInt64(samples))
        for lossPercent in [0, 5, 50, 100] {
            var (window, model) = (SampleWindow(policy), Model(policy: policy))
            var now = Duration.seconds(1000)
            for step in 0..<400 {
                // Now and then a pause that outlasts some or all samples.
                now += .milliseconds(step.isMultiple(of: 97) ? Int.random(in: 0...60_000, using: &dice) : 1000)
                // Few values, so that many are equal, and the limit is among them.
                let answer = Duration.milliseconds(Int.random(in: 1...10, using: &dice) * 5 + (step > 200 ? 3 : 0))
                let isLost = Int.random(in: 0..<100, using: &dice) < lossPercent
                window.add(isLost ? nil : answer, at: now)
                model.add(isLost ? nil : answer, at: now)
                #expect(window.count == model.samples.count)
                #expect(window.loss == model.loss)
                #expect(window.percentiles(0.5, 0.95) == [50, 95].compactMap(model.percentile))
                #expect(window.isSlow == (model.percentile(95).map { $0 > policy.slowRoundTrip } ?? false))
            }
        }
    }

    @Test func knowsNothingWhenEmptyOrCleared() {
        var window = SampleWindow(Policy())
        for _ in 0..<2 {
            #expect(window.count == 0)
            #expect(window.loss == nil)
            #expect(window.percentiles(0.5, 0.95).isEmpty)
            #expect(!window.isSlow)
            #expect(window.jitter == nil)
            window.add(.seconds(1), at: .zero)
            window.add(nil, at: .zero)
            #expect(window.isSlow)
            window.clear()
        }
    }

    @Test func isSlowOnlyAboveTheLimit() {
        let policy = Policy()
        var window = SampleWindow(policy)
        window.add(policy.slowRoundTrip, at: .zero)
        #expect(!window.isSlow)
        window.add(policy.slowRoundTrip + .nanoseconds(1), at: .zero)
        #expect(window.isSlow)
    }

    /// One of twenty is within the 95 %, two are not.
    @Test func overlooksOneSlowAnswerOfTwenty() {
        var window = SampleWindow(Policy())
        for _ in 0..<19 { window.add(.milliseconds(1), at: .zero) }
        window.add(.seconds(1), at: .zero)
        #expect(!window.isSlow)
        window.add(.seconds(1), at: .zero)
        #expect(window.isSlow)
    }

    @Test func keepsAtLeastTheLastSample() {
        var policy = Policy()
        policy.windowSamples = 0
        var window = SampleWindow(policy)
        window.add(nil, at: .seconds(1))
        window.add(.milliseconds(1), at: .seconds(Int64.max))
        #expect(window.count == 1)
        #expect(window.loss == 0)
    }

    /// Between answers 16 ms apart in transit time the first step adds 1 ms (RFC 3550 section 6.4.1); losses in between
    /// do not count.
    @Test func smoothsJitterByASixteenth() throws {
        var window = SampleWindow(Policy())
        window.add(.milliseconds(20), at: .seconds(1))
        #expect(window.jitter == nil)
        window.add(nil, at: .seconds(2))
        window.add(.milliseconds(36), at: .seconds(3))
        #expect(window.jitter == .milliseconds(1))
        for second in 4..<60 { window.add(.milliseconds(second.isMultiple(of: 2) ? 20 : 36), at: .seconds(second)) }
        let jitter = try #require(window.jitter)
        #expect(jitter > .milliseconds(14) && jitter <= .milliseconds(16))
    }
}
