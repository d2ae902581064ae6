// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import SocketServing
internal import Synchronization

/// Brings the steps of a scenario into effect, each when what it waits for has come.
///
/// Steps begin on the event loop of the control server, which alone changes conditions. `end` and `position` may be called
/// on any thread: what they need is in `state`, and no step begins after the end.
final class ScenarioRunner: @unchecked Sendable {
    private let scenario: SandboxScenario
    private let conditions: SandboxConditions
    private let events: RunEvents
    /// The uplinks' interfaces.
    private let uplinks: [String]
    /// Whether a client plays it, and not the run.
    private let isOfCommand: Bool
    private let state: Mutex<State>
    /// What begins the next step, on the event loop.
    private var timer: LoopTimer?
    /// What ends the overlap of a hand-over, by its path.
    private var overlaps: [String?: LoopTimer] = [:]
    private var loop: EventLoop?

    private struct State {
        var progress: ScenarioProgress
        /// What was counted when the step before took effect.
        var counted: NetworkCounters
        /// When that was, as time since the machine started.
        var since: Duration
        var hasEnded = false
        var notes: [String] = []
    }

    /// How often the counters are read while a step waits for them.
    private static let interval = Duration.milliseconds(20)

    /// Prepares the scenario; time and bytes count from now.
    init(
        _ scenario: SandboxScenario,
        _ conditions: SandboxConditions,
        _ events: RunEvents,
        uplinks: [String],
        isOfCommand: Bool
    ) {
        (self.scenario, self.conditions, self.events, self.uplinks) = (scenario, conditions, events, uplinks)
        self.isOfCommand = isOfCommand
        let steps = scenario.steps.map { (label: $0.label, trigger: $0.trigger) }
        state = Mutex(
            State(
                progress: ScenarioProgress(steps, repeat: scenario.repeat),
                counted: .current(uplinks: uplinks),
                since: BootClock.now
            )
        )
    }

    /// Waits for the first step, on the event loop of the control server.
    func start(on loop: EventLoop) {
        loop.execute {
            self.loop = loop
            self.wait()
        }
    }

    /// Whether the next step waits for the mark `name`.
    func awaits(_ name: String) -> Bool { state.withLock { $0.progress.trigger == .mark(name) } }

    /// Begins the next step if it waits for the mark `name`, and returns its label; on the event loop, when the old lanes have
    /// drained.
    func mark(_ name: String) -> String? { awaits(name) ? begin() : nil }

    /// Ends the scenario when the command has ended; returns notes for the user.
    func end() -> [String] {
        state.withLock { state in
            guard !state.hasEnded else { return [] }
            state.hasEnded = true
            for step in state.progress.missed {
                events.post(.missed(step.label, waitingFor: "\(step.trigger)"))
                // In a later run of all steps, each has begun before.
                guard state.progress.pass == 1 else { continue }
                let reason = "it never began, and waited for \(step.trigger)"
                let name = "step '\(step.label)'"
                events.post(.part(ConditionsPart(name, packets: 0, reason: reason, isOfCommand: isOfCommand)))
            }
            return state.notes + [state.progress.note(arrivals(state))].compactMap { $0 }
        }
    }

    /// Ends the scenario before the command ends; on the event loop.
    func stop() -> [String] {
        timer?.cancel()
        for timer in overlaps.values { timer.cancel() }
        return end()
    }

    /// How far the scenario has come.
    struct Position {
        /// The label of the latest step, and the name of its profile; nil before the first.
        var step: (label: String, profile: String)?
        /// The step that comes next; nil after the last.
        var next: RunProgress.Next?
    }

    /// How far it has come.
    var position: Position {
        state.withLock { state in
            let label = state.progress.current
            let step = scenario.steps.first { $0.label == label }.map { ($0.label, $0.profileName) }
            guard let label = state.progress.upcoming, let trigger = state.progress.trigger else {
                return Position(step: step)
            }
            var next = RunProgress.Next(label: label, trigger: "\(trigger)")
            if case .time(let time) = trigger { next.rest = max(time - (BootClock.now - state.since), .zero) }
            return Position(step: step, next: next)
        }
    }

    /// What has come since the step before.
    private func arrivals(_ state: borrowing State) -> ScenarioProgress.Arrivals {
        let time = BootClock.now - state.since
        let counted = NetworkCounters.current(uplinks: uplinks, for: state.progress.trigger)
        return ScenarioProgress.Arrivals(
            time: time,
            bytes: ByteCount(bytes: counted.carried.bytes &- state.counted.carried.bytes),
            connections: counted.connections &- state.counted.connections
        )
    }

    /// Waits for the next step.
    private func wait() {
        timer?.cancel()
        timer = nil
        guard let loop else { return }
        let (trigger, since) = state.withLock { ($0.progress.trigger, $0.since) }
        switch trigger {
        case .time(let time):
            let rest = max(time - (BootClock.now - since), .zero)
            timer = loop.schedule(after: rest) { self.beginWhenDrained() }
        case .bytes, .connections: timer = loop.schedule(after: .zero) { self.poll(on: loop) }
        case .mark, nil: break
        }
    }

    /// Begins the next step if the counters say so, and reads them again otherwise.
    private func poll(on loop: EventLoop) {
        let isMet = state.withLock { $0.progress.isMet(by: arrivals($0)) }
        if isMet {
            beginWhenDrained()
        } else {
            timer = loop.schedule(after: Self.interval) { self.poll(on: loop) }
        }
    }

    /// Ends the overlap of a hand-over when it is over.
    private func endLater(_ handOver: NetworkChanges.HandOver, of step: SandboxScenario.Step) {
        overlaps[step.path]?.cancel()
        overlaps[step.path] = handOver.overlap.flatMap { time in
            loop?.schedule(after: time) {
                do throws(ConditioningError) {
                    try self.conditions.endHandOver(on: step.path)
                } catch {
                    let note = "step '\(step.label)': the overlap did not end: \(error.description)"
                    self.state.withLock { $0.notes.append(note) }
                }
            }
        }
    }

    private func beginWhenDrained() { conditions.oldLanes.whenDrained { self.begin() } }

    /// Brings the next step into effect; returns its label.
    @discardableResult
    private func begin() -> String? {
        defer { wait() }
        return state.withLock { state in
            guard !state.hasEnded, state.progress.trigger != nil else { return nil }
            defer {
                state.progress.advance()
                (state.since, state.counted) = (BootClock.now, .current(uplinks: uplinks))
            }
            let step = scenario.steps[state.progress.next]
            do throws(ConditioningError) {
                let origin = ConditionsHits.Origin.step(step.label, isOfCommand: isOfCommand)
                let (profile, seed) = (step.request.profile, step.request.seed)
                let start = try conditions.change(to: profile, on: step.path, by: origin, seed: seed)
                if step.queued == .dropped { try conditions.dropQueued(on: step.path) }
                let changes = try conditions.change(step.changes, on: step.path)
                if let handOver = step.changes.handOver { endLater(handOver, of: step) }
                // A change of the network takes its time, in which packets still come over the old one.
                let time = changes.isEmpty ? start : .now
                events.post(.step(step.label, profile: step.profileName, changes: changes), at: time)
                return step.label
            } catch {
                events.post(.failed(step.label, reason: error.description))
                state.notes.append("step '\(step.label)' failed: \(error.description)")
                return nil
            }
        }
    }
}
