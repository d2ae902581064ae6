// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// The events of a run that tell its course: what began, and when.
///
/// The number of entries is bounded, since every process inside may cause events: the latest are kept.
struct RunHistory: Sendable {
    /// The start of a step: its latest one, if the scenario repeats.
    struct Step: Hashable {
        var start: Instant
        /// The reason why the step failed; nil if it took effect.
        var failure: String?
    }

    /// A point that the client has named.
    struct Mark: Hashable {
        var name: String
        var time: Instant
    }

    /// Conditions that a client has put, or taken out of effect.
    struct Change: Hashable {
        var profile: String
        var time: Instant
        /// The process of the client; nil if it is not known.
        var client: String?
    }

    /// The largest number of marks, and of changes.
    static let limit = 1000

    private(set) var start: Instant?
    private(set) var end: Instant?
    private(set) var steps: [String: Step] = [:]
    private(set) var marks: [Mark] = []
    private(set) var changes: [Change] = []
    /// The time at which a client has taken the conditions out of effect; nil while they are in effect.
    private(set) var offSince: Instant?

    mutating func add(_ event: RunEvent.Kind, at time: Instant) {
        switch event {
        case .begin: start = time
        case .end: end = time
        case .step(let label, _, _): steps[label] = Step(start: time)
        case .failed(let label, let reason): steps[label] = Step(start: time, failure: reason)
        case .mark(let name): Self.append(Mark(name: name, time: time), to: &marks)
        case .conditions(let profile, let client):
            offSince = nil
            Self.append(Change(profile: profile, time: time, client: client), to: &changes)
        case .off(let client):
            offSince = time
            Self.append(Change(profile: Profile.unconditioned.name, time: time, client: client), to: &changes)
        case .on(let profile, let client):
            offSince = nil
            let name = profile ?? Profile.unconditioned.name
            Self.append(Change(profile: name, time: time, client: client), to: &changes)
        default: break
        }
    }

    private static func append<Entry>(_ entry: Entry, to entries: inout [Entry]) {
        // Not at each entry: removing the first moves all others.
        if entries.count >= 2 * limit { entries.removeFirst(limit) }
        entries.append(entry)
    }
}
