// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import SocketServing

/// Brings each step of a scenario into effect when its trigger occurs.
///
/// Used on a single thread: the one that changes conditions. The display reads the position from `ShownConditions`.
final class ScenarioRunner {
    private let scenario: SandboxScenario
    private let conditions: SandboxConditions
    private let events: RunEvents
    /// The uplinks' interfaces.
    private let uplinks: [String]
    /// Whether a client plays the scenario, and not the run.
    private let isRequestedInside: Bool
    private var progress: ScenarioProgress
    /// The counters when the step before took effect.
    private var countersAtStart: NetworkCounters
    /// The time when the step before took effect, since the machine started.
    private var stepStart: Duration
    private var hasEnded = false
    private var notes: [String] = []
    /// The timer that begins the next step, or reads the counters; nil while a step waits for a mark.
    private var timer: LoopTimer?
    /// The timers that end the overlaps of hand-overs, by the interface; nil is the only uplink.
    private var overlaps: [String?: LoopTimer] = [:]
    private var loop: EventLoop?

    /// The interval at which the counters are read while a step waits for them.
    private static let interval = Duration.milliseconds(20)

    /// Prepares the scenario; time and bytes count from now.
    init(
        _ scenario: SandboxScenario,
        _ conditions: SandboxConditions,
        _ events: RunEvents,
        uplinks: [String],
        isRequestedInside: Bool
    ) {
        (self.scenario, self.conditions, self.events, self.uplinks) = (scenario, conditions, events, uplinks)
        self.isRequestedInside = isRequestedInside
        let steps = scenario.steps.map { (label: $0.label, trigger: $0.trigger) }
        progress = ScenarioProgress(steps, repeat: scenario.repeat)
        (countersAtStart, stepStart) = (.current(uplinks: uplinks), BootClock.now)
        show()
    }

    /// Waits for the first step, on the loop of the thread that changes conditions.
    func start(on loop: EventLoop) {
        self.loop = loop
        wait()
    }

    /// The name of the scenario.
    var name: String { scenario.name }

    /// A step and where it stands.
    struct StepState {
        enum State: String {
            /// The step has begun, and a later one after it.
            case done
            /// The latest step that has begun.
            case now
            /// The step has not begun yet.
            case next
        }

        var label: String
        var profile: String
        /// The condition that starts the step, in words.
        var trigger: String
        var state: State
    }

    /// The steps in order; of the present pass, if the scenario repeats.
    var states: [StepState] {
        let (next, isFirstPass) = (progress.next, progress.pass == 1)
        return scenario.steps.enumerated().map { index, step in
            let isLatest = index == next - 1 || next == 0 && !isFirstPass && index == scenario.steps.count - 1
            return StepState(
                label: step.label,
                profile: step.profileName,
                trigger: "\(step.trigger)",
                state: isLatest ? .now : index < next ? .done : .next
            )
        }
    }

    /// Whether the next step waits for the mark `name`.
    func awaits(_ name: String) -> Bool { progress.trigger == .mark(name) }

    /// Begins the next step if it waits for the mark `name`, and returns its label. The old lanes must have drained.
    func mark(_ name: String) -> String? { awaits(name) ? begin() : nil }

    /// Ends the scenario when the command has ended: no step begins any more. Returns notes for the user.
    func end() -> [String] {
        guard !hasEnded else { return [] }
        hasEnded = true
        for step in progress.missed {
            events.post(.missed(step.label, waitingFor: "\(step.trigger)"))
            // In a later pass, each step has begun before.
            guard progress.pass == 1 else { continue }
            let reason = "it never began, and waited for \(step.trigger)"
            let name = "step '\(step.label)'"
            events.post(.part(ConditionsPart(name, packets: 0, reason: reason, isRequestedInside: isRequestedInside)))
        }
        return notes + [progress.note(arrivals)].compactMap { $0 }
    }

    /// Ends the scenario before the command ends.
    func stop() -> [String] {
        timer?.cancel()
        for timer in overlaps.values { timer.cancel() }
        conditions.shown.scenario = nil
        return end()
    }

    /// Passes the position in the scenario to the display.
    private func show() {
        let step = scenario.steps.first { $0.label == progress.current }
        var position = ScenarioPosition(step: step.map { ($0.label, $0.profileName) })
        if let label = progress.upcoming, let trigger = progress.trigger {
            position.upcoming = (label, "\(trigger)")
            if case .time(let time) = trigger { position.due = stepStart + time }
        }
        conditions.shown.scenario = position
    }

    /// The time since the step before, and the bytes and connections in that time.
    private var arrivals: ScenarioProgress.Arrivals {
        let counters = NetworkCounters.current(uplinks: uplinks, for: progress.trigger)
        return ScenarioProgress.Arrivals(
            time: BootClock.now - stepStart,
            bytes: ByteCount(bytes: counters.carried.bytes &- countersAtStart.carried.bytes),
            connections: counters.connections &- countersAtStart.connections
        )
    }

    /// Waits for the next step.
    private func wait() {
        timer?.cancel()
        timer = nil
        guard let loop else { return }
        switch progress.trigger {
        case .time(let time):
            let rest = max(time - (BootClock.now - stepStart), .zero)
            timer = loop.schedule(after: rest) { self.beginWhenDrained() }
        case .bytes, .connections: timer = loop.schedule(after: .zero) { self.poll(on: loop) }
        case .mark, nil: break
        }
    }

    /// Begins the next step if its condition is met; otherwise reads the counters after `interval`.
    private func poll(on loop: EventLoop) {
        if progress.isMet(by: arrivals) {
            beginWhenDrained()
        } else {
            timer = loop.schedule(after: Self.interval) { self.poll(on: loop) }
        }
    }

    /// Schedules the end of a hand-over's overlap, in place of an earlier one on the same interface.
    private func endLater(_ handOver: NetworkChanges.HandOver, of step: SandboxScenario.Step) {
        overlaps[step.path]?.cancel()
        overlaps[step.path] = handOver.overlap.flatMap { time in
            loop?.schedule(after: time) {
                do throws(ConditioningError) {
                    try self.conditions.endHandOver(on: step.path)
                } catch {
                    self.notes.append("step '\(step.label)': the overlap did not end: \(error.description)")
                }
            }
        }
    }

    private func beginWhenDrained() { conditions.changeQueue.whenDrained { self.begin() } }

    /// Brings the next step into effect, and waits for the one after it; returns the label, or nil if the step failed.
    @discardableResult
    private func begin() -> String? {
        defer { wait() }
        guard !hasEnded, progress.trigger != nil else { return nil }
        defer {
            progress.advance()
            (stepStart, countersAtStart) = (BootClock.now, .current(uplinks: uplinks))
            show()
        }
        let step = scenario.steps[progress.next]
        do throws(ConditioningError) {
            let origin = ConditionsHits.Origin.step(step.label, isRequestedInside: isRequestedInside)
            let (profile, seed) = (step.request.profile, step.request.seed)
            let start = try conditions.change(to: profile, on: step.path, by: origin, seed: seed)
            if step.queued == .dropped { try conditions.dropQueued(on: step.path) }
            let changes = try conditions.change(step.changes, on: step.path)
            if let handOver = step.changes.handOver { endLater(handOver, of: step) }
            // A change of the network takes time, in which packets still come over the old network: the step begins
            // after it.
            let time = changes.isEmpty ? start : .now
            // While the conditions are off, the step's are only remembered.
            let isOff = conditions.isSuspended
            let inEffect = isOff ? Profile.unconditioned.name : step.profileName
            let played = isOff ? .unconditioned : profile
            conditions.played.add(step, as: played, isRequestedInside: isRequestedInside, at: time)
            events.post(.step(step.label, profile: inEffect, changes: changes), at: time)
            return step.label
        } catch {
            events.post(.failed(step.label, reason: error.description))
            notes.append("step '\(step.label)' failed: \(error.description)")
            return nil
        }
    }
}
