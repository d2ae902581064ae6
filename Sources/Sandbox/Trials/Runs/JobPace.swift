// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// The number of trials that run at the same time: a fixed number, or as many as the processors can carry.
///
/// A command mostly waits for its network, so a processor carries several; but when processes wait for a processor,
/// verdicts about times become inconclusive. So the pace starts with one trial for each processor, and adds more while
/// processors are idle.
package struct JobPace {
    /// The most trials for each processor: each takes memory, too.
    private static let maximumForEach = 8
    /// The shortest time between two updates: a trial that starts keeps a processor busy for a quarter of it.
    private static let interval = Duration.milliseconds(200)
    /// The share of idle time from which on more trials may start.
    private static let idleShare = 0.4
    /// Shares of the time in which some process waits for a processor: up to the first, trials are added; above the
    /// second, trials that end are not replaced.
    private static let (quietShare, busyShare) = (0.1, 0.25)

    private let minimum: Int
    /// The most trials that may run.
    let maximum: Int
    /// The number of trials that may run now.
    package private(set) var limit: Int
    private var last: ProcessorTimes?

    /// Makes a pace that always allows `jobs` trials.
    package init(fixed jobs: Int) { (minimum, maximum, limit) = (jobs, jobs, jobs) }

    /// Makes a pace that starts with one trial for each processor.
    package init(processors: Int) {
        (minimum, maximum, limit) = (processors, Self.maximumForEach * processors, processors)
    }

    /// Updates `limit` from the processors' times since the last update.
    ///
    /// - Parameters:
    ///   - running: how many trials run.
    ///   - times: the processors' times since boot; nil if unknown.
    package mutating func update(running: Int, _ times: ProcessorTimes?) {
        guard minimum < maximum, let times else { return }
        guard let last else { return last = times }
        let length = times.time - last.time
        guard length >= Self.interval else { return }
        self.last = times
        let (idle, busy) = (times.idle - last.idle, times.busy - last.busy)
        let isIdle = idle > .zero && idle / (idle + max(busy, .zero)) >= Self.idleShare
        // Without pressure stall information, the idle time decides alone.
        var waited = isIdle ? 0.0 : 1.0
        if let now = times.waited, let before = last.waited { waited = (now - before) / length }
        if waited > Self.busyShare {
            limit = max(minimum, min(limit, running) - 1)
        } else if isIdle, waited <= Self.quietShare, running >= limit {
            limit = min(maximum, limit + minimum)
        }
    }
}
