// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Probes one after the other that are ended as one.
final class Errand: Sendable {
    private struct State {
        var current: ProbeHandle?
        var count = 0
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Begins the next probe, unless all is over.
    func begin(_ start: () -> ProbeHandle) {
        let number = state.withLock { state -> Int? in
            state.count += 1
            return state.isCancelled ? nil : state.count
        }
        guard let number else { return }
        // It may end, and begin the next one, before there is a handle.
        let handle = start()
        let isCancelled = state.withLock { state in
            if state.count == number { state.current = handle }
            return state.isCancelled
        }
        if isCancelled { handle.cancel() }
    }

    /// Ends what is under way, and what would follow.
    func cancel() {
        let handle = state.withLock { state in
            state.isCancelled = true
            return state.current
        }
        handle?.cancel()
    }
}
