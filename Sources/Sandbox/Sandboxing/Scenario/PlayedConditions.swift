// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkConditioning
internal import LinkProfiles

/// The conditions that a run has had, each with its time: a scenario that repeats them without the clients that have
/// put them.
///
/// The number of changes is bounded, since every process inside may cause them: the first are kept.
struct PlayedConditions {
    /// A change of the conditions of all interfaces, or of one that has its own.
    struct Change {
        var time: Instant
        /// The label of the step that made the change; nil for a client's change.
        var label: String?
        var profile: Profile
        var path: String?
        var queued = Scenario.QueuedPackets.delivered
        var changes = NetworkChanges()
    }

    /// The largest number of changes: as many steps as a scenario may have.
    static let limit = Scenario.maximumSteps

    /// The scenario that the run was given; its first profile is that of the run. It repeats the run as long as no
    /// client changes the conditions.
    private let given: Scenario
    private(set) var changes: [Change] = []
    private(set) var hasMore = false
    /// Whether a client has changed the conditions.
    private var isChangedByClients = false

    init(_ conditions: RunConditions?) {
        var given = Scenario(
            name: conditions?.scenario?.name ?? "Repeated",
            profile: ProfileReference(.inline(conditions?.request.profile ?? .unconditioned)),
            repeat: conditions?.scenario?.repeat ?? 1
        )
        given.paths = (conditions?.paths ?? []).map {
            Scenario.Path(name: $0.name, profile: ProfileReference(.inline($0.request.profile)))
        }
        given.steps = (conditions?.scenario?.steps ?? []).map { step in
            Self.step(step.label, step.trigger, step.request.profile, step.path, step.queued, step.changes)
        }
        self.given = given
    }

    /// Adds a step of a scenario that took effect.
    ///
    /// - Parameter profile: the profile in effect since then: none while the conditions are off.
    mutating func add(_ step: SandboxScenario.Step, as profile: Profile, isRequestedInside: Bool, at time: Instant) {
        if isRequestedInside { isChangedByClients = true }
        add(
            Change(
                time: time,
                label: step.label,
                profile: profile,
                path: step.path,
                queued: step.queued,
                changes: step.changes
            )
        )
    }

    /// Adds a client's change.
    mutating func add(_ profile: Profile, on path: String?, at time: Instant) {
        isChangedByClients = true
        add(Change(time: time, profile: profile, path: path))
    }

    private mutating func add(_ change: Change) {
        guard changes.count < Self.limit else { return hasMore = true }
        changes.append(change)
    }

    /// The scenario that repeats the conditions: the given one, or the changes at their times.
    ///
    /// - Parameter start: the start of the command.
    func scenario(since start: Instant) -> Scenario {
        guard isChangedByClients else { return given }
        var scenario = given
        (scenario.steps, scenario.repeat) = ([], 1)
        var labels: Set<String> = []
        // Milliseconds since the start, so that rounding does not add up.
        var last: Int64 = 0
        for change in changes {
            let time = max(Int64(((change.time - start) / .milliseconds(1)).rounded()), last)
            let name = change.label ?? change.profile.name
            scenario.steps.append(
                Self.step(
                    Self.label(name, besides: &labels),
                    .time(.milliseconds(time - last)),
                    change.profile,
                    change.path,
                    change.queued,
                    change.changes
                )
            )
            last = time
        }
        return scenario
    }

    private static func step(
        _ label: String,
        _ trigger: Trigger,
        _ profile: Profile,
        _ path: String?,
        _ queued: Scenario.QueuedPackets,
        _ changes: NetworkChanges
    ) -> Scenario.Step {
        var step = Scenario.Step(
            label: label,
            after: trigger,
            profile: ProfileReference(.inline(profile)),
            queued: queued
        )
        (step.path, step.changes) = (path, changes)
        return step
    }

    /// A label that no other step has: a profile's name may be no label, and a step may begin twice.
    private static func label(_ name: String, besides labels: inout Set<String>) -> String {
        let base = Label.problem(with: name) == nil ? String(name.prefix(Label.maximumLength - 6)) : "change"
        let trimmed = Label.problem(with: base) == nil ? base : "change"
        var label = trimmed
        var number = 2
        while !labels.insert(label).inserted {
            label = "\(trimmed) \(number)"
            number += 1
        }
        return label
    }
}
