// SPDX-License-Identifier: Apache-2.0

import Reachability
import Synchronization

/// The results of a target since the monitor started.
struct TargetStatistics {
    private var times = TimeHistogram()
    /// The number of probes that were evidence about the target.
    private(set) var sent = 0
    /// The number of probes that were answered as expected.
    private(set) var answered = 0
    private(set) var outages = 0
    /// The total duration of the outages that have ended.
    private var endedDownTime = Duration.zero
    /// The start of the current outage, on the events' clock; nil if there is none.
    private var outageStart: Duration?
    /// The latest round-trip times, oldest first; nil for a lost probe.
    private(set) var recent: [Duration?] = []
    private(set) var status: Status

    private static let recentLimit = 24

    init(_ status: Status) { self.status = status }

    mutating func add(_ event: Event) {
        if let status = event.status { self.status = status }
        switch event.kind {
        case .sample(let observation): add(observation)
        case .outageStarted:
            outages += 1
            outageStart = event.status?.since ?? event.time
        case .outageEnded(let time):
            endedDownTime += time
            outageStart = nil
        default: break
        }
    }

    private mutating func add(_ observation: Observation) {
        switch observation.finding {
        case .answered(let time):
            (sent, answered) = (sent + 1, answered + 1)
            times.record(time)
            recent.append(time)
        case .failed:
            sent += 1
            recent.append(nil)
        case .impossible, .nothing: return
        }
        recent.removeFirst(max(recent.count - Self.recentLimit, 0))
    }

    /// The total duration of outages until `now`, on the events' clock.
    func downTime(until now: Duration) -> Duration {
        endedDownTime + (outageStart.map { max(now - $0, .zero) } ?? .zero)
    }

    /// The share of probes that were not answered; nil without probes.
    var loss: Double? { sent == 0 ? nil : Double(sent - answered) / Double(sent) }

    /// The percentile of the round-trip times at this share; nil without answers.
    func percentile(_ share: Double) -> Duration? { times.percentile(share) }
}

/// The results of all targets; the thread that serves metrics reads them, too.
final class ResultStore: Sendable {
    private let statistics = Mutex<[Target: TargetStatistics]>([:])

    func add(_ events: [Event]) {
        statistics.withLock { statistics in
            for event in events {
                guard let status = event.status else { continue }
                statistics[status.target, default: TargetStatistics(status)].add(event)
            }
        }
    }

    /// The statistics of these targets; targets without results are left out.
    func rows(_ targets: [Target]) -> [TargetStatistics] {
        statistics.withLock { statistics in targets.compactMap { statistics[$0] } }
    }

    /// The statistics of all targets, sorted by the targets' names.
    var rows: [TargetStatistics] {
        statistics.withLock { $0.values.sorted { "\($0.status.target)" < "\($1.status.target)" } }
    }
}
