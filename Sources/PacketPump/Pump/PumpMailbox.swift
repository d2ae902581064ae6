// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import Synchronization

/// What other threads want of the pump's.
final class PumpMailbox: Sendable {
    struct Letters: Sendable {
        var pipelines: PreparedPipelines?
        var isStopping = false
        /// Whether somebody waits until all that is there has been read.
        var isSettling = false
    }

    private struct State {
        var letters = Letters()
        var written = 0
        var taken = 0
        /// The last letter whose sender waits until all has been read.
        var settling = 0
        var hasEnded = false
    }

    /// Readable when there are letters.
    let waker: Int32
    /// Readable when the pump has ended.
    let finish: Int32
    private let state = Mutex(State())

    /// Nil where there is no descriptor.
    init?() {
        waker = lc_open_eventfd()
        finish = lc_open_eventfd()
        guard waker >= 0, finish >= 0 else { return nil }
    }

    deinit {
        close(waker)
        close(finish)
    }

    /// Says something to the pump, and waits until it acts upon it, or has ended.
    func send(_ change: (inout Letters) -> Void) {
        let number = state.withLock { state in
            change(&state.letters)
            state.written += 1
            return state.written
        }
        lc_signal_eventfd(waker)
        while !state.withLock({ $0.hasEnded || $0.taken >= number }) { usleep(100) }
    }

    /// Waits until the pump has ended.
    func awaitEnd() {
        while !state.withLock({ $0.hasEnded }) { usleep(100) }
    }

    /// Hands what was said to `act`, on the pump's thread.
    func take(_ act: (Letters) -> Void) {
        lc_clear_eventfd(waker)
        let (letters, number) = state.withLock { state in
            let letters = state.letters
            state.letters.pipelines = nil
            state.letters.isSettling = false
            return (letters, state.written)
        }
        act(letters)
        state.withLock { state in
            if letters.isSettling { state.settling = number } else { state.taken = number }
        }
    }

    /// Lets those go on who wait until all has been read.
    func settle() { state.withLock { $0.taken = max($0.taken, $0.settling) } }

    func end() {
        state.withLock { $0.hasEnded = true }
        lc_signal_eventfd(finish)
    }
}
