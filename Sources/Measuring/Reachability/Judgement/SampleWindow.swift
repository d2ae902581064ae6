// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import Statistics

/// The latest probes of a target: the number of losses, and the round-trip times of the others.
struct SampleWindow: Sendable {
    private struct Sample {
        /// The sending time and the round-trip time in nanoseconds; -1 if the probe was lost.
        var time: Int64
        var roundTrip: Int64
    }

    private let limit: Int
    private let span: Int64
    private let slow: Int64
    private var samples: Deque<Sample> = []
    private var lost = 0
    private var slowCount = 0

    init(_ policy: Policy) {
        limit = max(policy.windowSamples, 1)
        span = policy.windowTime.wholeNanoseconds
        slow = policy.slowRoundTrip.wholeNanoseconds
    }

    /// Adds a probe sent at `time`, and drops those that are too old or too many; `roundTrip` is nil for a lost probe.
    mutating func add(_ roundTrip: Duration?, at time: Duration) {
        let sample = Sample(time: time.wholeNanoseconds, roundTrip: roundTrip?.wholeNanoseconds ?? -1)
        samples.append(sample)
        count(sample, 1)
        while let first = samples.first, samples.count > limit || first.time < sample.time - span {
            count(first, -1)
            samples.removeFirst()
        }
    }

    private mutating func count(_ sample: Sample, _ step: Int) {
        if sample.roundTrip < 0 { lost += step } else if sample.roundTrip > slow { slowCount += step }
    }

    mutating func clear() {
        samples.removeAll()
        (lost, slowCount) = (0, 0)
    }

    var count: Int { samples.count }

    /// The share of probes that were lost; nil without probes.
    var loss: Double? {
        samples.isEmpty ? nil : Double(lost) / Double(samples.count)
    }

    /// Whether the 95th percentile of the round-trip times exceeds the policy's limit, found without sorting.
    var isSlow: Bool {
        let answers = samples.count - lost
        return answers - slowCount < NearestRank.rank(0.95, of: answers)
    }

    /// The percentiles of the round-trip times at these shares; empty without answers.
    func percentiles(_ shares: Double...) -> [Duration] {
        let sorted = samples.map(\.roundTrip).filter { $0 >= 0 }.sorted()
        guard !sorted.isEmpty else { return [] }
        return shares.map { .nanoseconds(sorted[NearestRank.rank($0, of: sorted.count) - 1]) }
    }

    /// The interarrival jitter of RFC 3550 section 6.4.1 over the answers of the window, oldest first.
    var jitter: Duration? {
        var (last, jitter): (Int64?, Double) = (nil, 0)
        var count = 0
        for sample in samples where sample.roundTrip >= 0 {
            if let last {
                jitter += (Double(abs(sample.roundTrip - last)) - jitter) / 16
                count += 1
            }
            last = sample.roundTrip
        }
        return count == 0 ? nil : .nanoseconds(Int64(jitter))
    }
}
