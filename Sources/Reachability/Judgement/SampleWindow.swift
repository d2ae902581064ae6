// SPDX-License-Identifier: Apache-2.0

/// The last probes of a target: how many were lost, and how long the others took.
struct SampleWindow: Hashable, Sendable {
    private let limit: Int
    private let span: Duration
    private var samples: [(time: Duration, roundTrip: Duration?)] = []

    init(_ policy: Policy) {
        limit = policy.windowSamples
        span = policy.windowTime
    }

    /// Adds a probe sent at `time`; nil for one that was lost.
    mutating func add(_ roundTrip: Duration?, at time: Duration) {
        samples.append((time, roundTrip))
        let expired = samples.prefix { $0.time < time - span }.count
        samples.removeFirst(max(expired, samples.count - limit))
    }

    mutating func clear() {
        samples.removeAll(keepingCapacity: true)
    }

    var count: Int { samples.count }

    /// The share of probes that were lost; nil without any.
    var loss: Double? {
        samples.isEmpty ? nil : Double(samples.count { $0.roundTrip == nil }) / Double(samples.count)
    }

    /// The round-trip time that this share of the answers stays within; nil without any answer.
    func percentile(_ share: Double) -> Duration? {
        let sorted = samples.compactMap(\.roundTrip).sorted()
        guard !sorted.isEmpty else { return nil }
        // Nearest rank: the smallest that so many are at most.
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }

    static func == (left: SampleWindow, right: SampleWindow) -> Bool {
        left.samples.elementsEqual(right.samples) { $0.time == $1.time && $0.roundTrip == $1.roundTrip }
    }

    func hash(into hasher: inout Hasher) {
        for sample in samples {
            hasher.combine(sample.time)
            hasher.combine(sample.roundTrip)
        }
    }
}
