// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinuxSystem
internal import Synchronization

/// Notices that a process of the run's network carries nothing although it is there: its control group was frozen, or it
/// hangs. The kernel tells the supervisor of neither.
final class CarrierWatch: Sendable {
    /// The interval of the questions: each is a wake-up, which an idle run must not have much of.
    private static let interval = Duration.seconds(3)
    /// How many questions in a row it may leave unanswered, for two seconds each. One is not enough: this machine may have been
    /// suspended, and this process frozen with the other.
    private static let attempts = 2

    private let channel: MessageChannel
    private let report: @Sendable (RunEvent.CarrierState, Instant) -> Void
    private let state = Mutex(State())
    /// Whether the supervisor knows by a signal that it is stopped.
    private let isKnownToBeStopped = Atomic(false)
    private let hasFinished = Atomic(false)

    private struct State {
        /// The time at which it was asked what it answered last: it worked then.
        var lastAnswer = Instant.now
        var isSilent = false
        var wasSilent = false
    }

    /// Watches nothing yet.
    ///
    /// - Parameter report: is told that the process was stopped, since when that may be, and that it goes on.
    init(_ channel: MessageChannel, report: @escaping @Sendable (RunEvent.CarrierState, Instant) -> Void) {
        (self.channel, self.report) = (channel, report)
    }

    /// Watches on a thread of its own, since an answer may take seconds, until the process has ended.
    func start() {
        try? PosixThread.detach { [self] in
            while !hasFinished.load(ordering: .acquiring), !channel.isAbandoned {
                state.withLock { ask(&$0) }
                channel.waitForEnd(limit: Self.interval)
            }
        }
    }

    /// A signal has stopped the process, or it goes on after that: nothing is reported of what is known.
    func knowsStop(_ isStopped: Bool) { isKnownToBeStopped.store(isStopped, ordering: .releasing) }

    /// Asks for the last time, since it may have been stopped after its last answer. Returns whether it was ever silent.
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
