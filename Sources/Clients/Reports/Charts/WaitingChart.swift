// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The share of time for which processes waited for a CPU, by time: long durations then may be the machine's fault.
struct WaitingChart {
    /// The number of bins.
    private static let bins = 200
    private static let height = 24.0

    private let time: TimeScale
    /// The share of each bin.
    private let shares: [Double]
    private let sum: Duration

    init(_ timeline: RunTimeline, _ time: TimeScale) {
        self.time = time
        sum = timeline.stalls.reduce(.zero) { $0 + $1.waited }
        var waits = [Duration](repeating: .zero, count: Self.bins)
        let length = max((time.end - time.begin) / Self.bins, .nanoseconds(1))
        let index = { (moment: Duration) in min(max(Int((moment - time.begin) / length), 0), Self.bins - 1) }
        for stall in timeline.stalls where stall.end > stall.begin {
            for bin in index(stall.begin)...index(stall.end) {
                let begin = time.begin + length * bin
                let overlap = min(stall.end, begin + length) - max(stall.begin, begin)
                if overlap > .zero { waits[bin] += stall.waited * (overlap / (stall.end - stall.begin)) }
            }
        }
        shares = waits.map { min($0 / length, 1) }
    }

    /// The row; nil if no process waited.
    var row: TimelineRow? {
        guard sum > .zero else { return nil }
        var plot = Plot(time, height: Self.height)
        let length = (time.end - time.begin) / Self.bins
        for (bin, share) in shares.enumerated() where share >= 0.01 {
            let begin = time.begin + length * bin
            let height = share * Self.height
            let title = "\(Int((share * 100).rounded())) % from \(begin.words) to \((begin + length).words)"
            plot.bar("busy", begin, begin + length, top: Self.height - height, height: height, title: title)
        }
        let maximum = Int(((shares.max() ?? 0) * 100).rounded())
        let facts = ["\(sum.words) in all", "at most \(maximum) % of a moment"]
        return plot.row("Waiting for a processor", facts)
    }
}
