// SPDX-License-Identifier: Apache-2.0

/// Who is told of events.
struct Subscriber {
    /// The targets of interest; nil for all.
    let targets: Set<Target>?
    /// Whether single probes are of interest.
    let wantsSamples: Bool
    /// Where they wait.
    let mailbox: EventMailbox

    /// Tells him what is for him; what is about no target is for everybody.
    func tell(_ event: Event) {
        if wants(event) { mailbox.put(event) }
    }

    private func wants(_ event: Event) -> Bool {
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
