// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinuxSystem
internal import Synchronization

/// Detects that a process of the run's network is alive but does nothing: its control group was frozen, or it hangs.
/// The kernel reports neither to the supervisor.
final class ForwarderWatch: Sendable {
    /// The interval of the heartbeats: each wakes the process up, which should be rare in an idle run.
    private static let interval = Duration.seconds(3)
    /// The number of heartbeats in a row without an answer, for two seconds each, after which the process counts as
    /// stopped. One is not enough: this machine may have been suspended, and this process frozen with the other.
    private static let attempts = 2

    private let channel: MessageChannel
    private let report: @Sendable (RunEvent.ForwarderState, Instant) -> Void
    private let state = Mutex(State())
    /// Whether the supervisor has seen that a signal stopped the process.
    private let isKnownToBeStopped = Atomic(false)
    private let hasFinished = Atomic(false)

    private struct State {
        /// The time of the latest heartbeat that was answered: the process worked then.
        var lastAnswer = Instant.now
        var isSilent = false
        var wasSilent = false
    }

    /// Watches nothing yet.
    ///
    /// - Parameter report: called when the process has stopped, with the earliest time for that, and when it has
    ///   continued.
    init(_ channel: MessageChannel, report: @escaping @Sendable (RunEvent.ForwarderState, Instant) -> Void) {
        (self.channel, self.report) = (channel, report)
    }

    /// Watches on a thread of its own, since an answer may take seconds, until the watched process has ended.
    func start() {
        try? PosixThread.detach { [self] in
            while !hasFinished.load(ordering: .acquiring), !channel.isAbandoned {
                state.withLock { ask(&$0) }
                channel.waitForEnd(limit: Self.interval)
            }
        }
    }

    /// Records that a signal has stopped or continued the process; while it is stopped, the watch reports nothing.
    func knowsStop(_ isStopped: Bool) { isKnownToBeStopped.store(isStopped, ordering: .releasing) }

    /// Sends a last heartbeat, since the process may have been stopped after its last answer. Returns whether it ever
    /// gave no answer.
    func finish() -> Bool {
        state.withLock { state in
            if !state.isSilent { ask(&state) }
            hasFinished.store(true, ordering: .releasing)
            return state.wasSilent
        }
    }

    private func ask(_ state: inout State) {
        guard !hasFinished.load(ordering: .acquiring), !isKnownToBeStopped.load(ordering: .acquiring) else { return }
        let time = Instant.now
        if (0..<Self.attempts).contains(where: { _ in channel.isAnswered() }) {
            if state.isSilent { report(.continued, .now) }
            (state.lastAnswer, state.isSilent) = (time, false)
        } else if !state.isSilent, !isKnownToBeStopped.load(ordering: .acquiring) {
            (state.isSilent, state.wasSilent) = (true, true)
            report(.stopped, state.lastAnswer)
        }
    }
}
