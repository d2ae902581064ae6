// SPDX-License-Identifier: Apache-2.0

import Reachability
import Synchronization

/// What all targets have shown; read by the thread that serves metrics, too.
final class ResultStore: Sendable {
    private let statistics = Mutex<[Target: TargetStatistics]>([:])

    func take(_ events: [Event]) {
        statistics.withLock { statistics in
            for event in events {
                guard let status = event.status else { continue }
                statistics[status.target, default: TargetStatistics(status)].take(event)
            }
        }
    }

    /// The statistics of these targets, as far as there are any.
    func rows(_ targets: [Target]) -> [TargetStatistics] {
        statistics.withLock { statistics in targets.compactMap { statistics[$0] } }
    }

    /// All of them, by the targets' names.
    var rows: [TargetStatistics] {
        statistics.withLock { $0.values.sorted { "\($0.status.target)" < "\($1.status.target)" } }
    }
}
