// SPDX-License-Identifier: Apache-2.0

internal import LocalNetwork

/// Which events a subscription of a monitor is for.
struct Interest {
    /// The targets; nil for all.
    let targets: Set<Target>?
    /// Whether single probes are of interest.
    let wantsSamples: Bool

    /// Whether the subscriber receives the event. Events about no target are for all subscribers.
    func includes(_ event: Event) -> Bool {
        if case .sample = event.kind, !wantsSamples { return false }
        guard let targets else { return true }
        if let target = event.target { return targets.contains(target) }
        switch event.kind {
        case .causeFound(_, let children), .causeCleared(_, let children):
            return children.contains { targets.contains($0) }
        default: return true
        }
    }
}

extension Event {
    /// Keeps at most `limit` events that wait, and reports how many older ones were dropped.
    static func bounded(limit: Int) -> Subscription<Event>.Policy {
        .bounded(limit: limit) { last, count in
            var gap = last
            (gap.kind, gap.status) = (.dropped(count), nil)
            return gap
        }
    }
}
