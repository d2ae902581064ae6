// SPDX-License-Identifier: Apache-2.0

/// The last minute of a lane, from samples of its counters. Pure: the caller reads the clock.
struct LaneHistory: Sendable {
    /// The number of seconds that are kept.
    static let length = 60
    /// The time between two samples above which what happened in between is not known well enough for any figure.
    private static let longestGap = Duration.milliseconds(1_500)
    /// The seconds whose samples are kept one by one.
    private static let recentLength = Duration.seconds(3)

    /// The samples of the last seconds, oldest first.
    private(set) var recent: [LaneSample] = []
    /// The windows of the last 60 seconds, newest last; nil for a second without samples.
    private(set) var minute: [LaneWindow?] = []
    /// Counts the seconds that were added to ``minute``.
    private(set) var seconds = 0
    /// The second that the samples in `current` belong to, as a whole number of seconds of the clock.
    private var second: Int64 = 0
    /// The samples of the second that is not over yet, from its first one.
    private var current: [LaneSample] = []

    /// Adds a sample.
    mutating func add(_ sample: LaneSample) {
        let second = sample.time.components.seconds
        if let last = recent.last {
            // Another call within the same instant.
            guard sample.time > last.time else { return }
            if !sample.continues(last) || sample.time - last.time > Self.longestGap { (recent, current) = ([], []) }
        } else if minute.isEmpty {
            self.second = second
        }
        recent.append(sample)
        recent.removeAll { sample.time - $0.time > Self.recentLength }
        current.append(sample)
        guard second > self.second else { return }
        let missed = min(second - self.second - 1, Int64(Self.length))
        minute.append(LaneWindow(current[...]))
        seconds += 1
        if missed > 0 { minute += Array(repeating: nil, count: Int(missed)) }
        minute.removeFirst(max(0, minute.count - Self.length))
        (self.second, current) = (second, [sample])
    }

    /// Forgets the samples, not the minute: the lane's counters are gone.
    mutating func interrupt() { (recent, current) = ([], []) }

    /// The window of about the last `length`, from `start` on; nil if there are no samples for at least half of it.
    func window(last length: Duration, since start: Duration = .zero) -> LaneWindow? {
        guard let last = recent.last else { return nil }
        // Half a sampling interval more, so that the window has its full length.
        let from = max(last.time - length - .milliseconds(50), start)
        return LaneWindow(recent.drop { $0.time < from }).flatMap { $0.length * 2 >= length ? $0 : nil }
    }

    /// The packets of the last `seconds` whole seconds, from `start` on, that left and that the loss model dropped.
    func losses(last seconds: Int, since start: Duration = .zero) -> (left: UInt64, drops: UInt64, model: UInt64?) {
        let begun = Int64(minute.count) - (second - start.components.seconds)
        var sum = (left: UInt64(0), drops: UInt64(0), model: UInt64?(0))
        for (index, window) in minute.enumerated().suffix(seconds) where index > begun {
            guard let window else { continue }
            sum.left += window.left
            sum.drops += window.drops
            sum.model = sum.model.flatMap { total in window.modelDrops.map { total + $0 } }
        }
        return sum
    }
}
