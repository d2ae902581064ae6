// SPDX-License-Identifier: Apache-2.0

import Reachability
import Synchronization

/// What all targets have shown; read by the thread that serves metrics, too.
final class Board: Sendable {
    private let tallies = Mutex<[Target: Tally]>([:])

    func take(_ events: [Event]) {
        tallies.withLock { tallies in
            for event in events {
                guard let status = event.status else { continue }
                tallies[status.target, default: Tally(status)].take(event)
            }
        }
    }

    /// The tallies of these targets, as far as there are any.
    func rows(_ targets: [Target]) -> [Tally] {
        tallies.withLock { tallies in targets.compactMap { tallies[$0] } }
    }

    /// All of them, by the targets' names.
    var rows: [Tally] {
        tallies.withLock { $0.values.sorted { "\($0.status.target)" < "\($1.status.target)" } }
    }
}
