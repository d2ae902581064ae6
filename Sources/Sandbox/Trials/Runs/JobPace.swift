// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// The number of trials that run at the same time: a fixed number, or as many as the processors carry.
///
/// A command mostly waits for its network, so a processor carries several; but where processes wait for a processor,
/// verdicts about times become inconclusive. So it begins with a trial for each processor, and adds while processors are
/// idle.
package struct JobPace {
    /// Trials for each processor, at most: each takes memory, too.
    private static let maximumForEach = 8
    /// The time over which the processors are looked at: a trial that starts takes them for a quarter of it.
    private static let interval = Duration.milliseconds(200)
    /// The share of idle time from which on there is room for more.
    private static let idleShare = 0.4
    /// The shares of time with a process that waits for a processor up to which trials are added, and above which those that
    /// end are not replaced.
    private static let (quietShare, busyShare) = (0.1, 0.25)

    private let minimum: Int
    /// The most trials that may run.
    let maximum: Int
    /// The number of trials that may run now.
    package private(set) var limit: Int
    private var last: ProcessorTimes?

    /// Always the same number.
    package init(fixed jobs: Int) { (minimum, maximum, limit) = (jobs, jobs, jobs) }

    /// Starts with one job for each processor, at least one.
    package init(processors: Int) {
        (minimum, maximum, limit) = (processors, Self.maximumForEach * processors, processors)
    }

    /// Decides by what the processors have done since the last look.
    ///
    /// - Parameters:
    ///   - running: how many trials run.
    ///   - times: what they have done since boot; nil if that is not known.
    package mutating func update(running: Int, _ times: ProcessorTimes?) {
        guard minimum < maximum, let times else { return }
        guard let last else { return last = times }
        let length = times.time - last.time
        guard length >= Self.interval else { return }
        self.last = times
        let (idle, busy) = (times.idle - last.idle, times.busy - last.busy)
        let isIdle = idle > .zero && idle / (idle + max(busy, .zero)) >= Self.idleShare
        // Without pressure stall information the idle time alone decides.
        var waited = isIdle ? 0.0 : 1.0
        if let now = times.waited, let before = last.waited { waited = (now - before) / length }
        if waited > Self.busyShare {
            limit = max(minimum, min(limit, running) - 1)
        } else if isIdle, waited <= Self.quietShare, running >= limit {
            limit = min(maximum, limit + minimum)
        }
    }
}
