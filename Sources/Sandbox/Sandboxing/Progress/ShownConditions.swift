// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Synchronization

/// The conditions in effect, as the progress of a run shows them; for any thread.
///
/// The thread that changes conditions writes them here, so that a reader waits for no change.
final class ShownConditions: Sendable {
    private let state = Mutex(State())

    private struct State {
        var profileName: String?
        var scenario: ScenarioPosition?
    }

    /// The names of the profiles in effect; nil for none.
    var profileName: String? {
        get { state.withLock { $0.profileName } }
        set { state.withLock { $0.profileName = newValue } }
    }

    /// The position in the scenario; nil without one.
    var scenario: ScenarioPosition? {
        get { state.withLock { $0.scenario } }
        set { state.withLock { $0.scenario = newValue } }
    }
}

/// The position in a scenario that plays.
struct ScenarioPosition: Sendable {
    /// The label of the latest step, and the name of its profile; nil before the first.
    var step: (label: String, profile: String)?
    /// The label of the next step, and the condition that starts it; nil after the last.
    var upcoming: (label: String, trigger: String)?
    /// The start of the next step, as time since the machine started; nil unless the step waits for a time.
    var due: Duration?

    /// The step that comes next; nil after the last.
    var next: RunProgress.Next? {
        upcoming.map { label, trigger in
            RunProgress.Next(label: label, trigger: trigger, rest: due.map { max($0 - BootClock.now, .zero) })
        }
    }
}
