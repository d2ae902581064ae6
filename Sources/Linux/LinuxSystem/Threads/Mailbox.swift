// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Hands values from any thread to the one thread that polls `wakeup`.
///
/// `Pending` collects the values sent since the last `dequeue`: an array of requests, or a struct of the latest ones.
package final class Mailbox<Pending: Sendable>: Sendable {
    /// Readable while something is pending.
    package let wakeup: EventFD

    private struct State: Sendable {
        var pending: Pending
        var isSignalled = false
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Makes a mailbox; `empty` is the value for nothing pending.
    package init(_ empty: Pending) throws(SystemError) {
        wakeup = try EventFD()
        state = Mutex(State(pending: empty))
    }

    /// Lets `add` change the pending value, and wakes the polling thread.
    ///
    /// - Returns: false, with nothing added, if the mailbox is closed.
    @discardableResult
    package func send(_ add: (inout Pending) -> Void) -> Bool {
        let (isOpen, mustSignal) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            add(&state.pending)
            defer { state.isSignalled = true }
            return (true, !state.isSignalled)
        }
        if mustSignal { wakeup.signal() }
        return isOpen
    }

    /// Swaps the pending value with `empty`, whose storage is reused. Only for the polling thread.
    package func dequeue(into empty: inout Pending) {
        wakeup.clear()
        state.withLock { state in
            state.isSignalled = false
            swap(&state.pending, &empty)
        }
    }

    /// Makes later calls of `send` fail. The pending value can still be dequeued.
    package func close() {
        state.withLock { $0.isClosed = true }
        wakeup.signal()
    }

    package var isClosed: Bool { state.withLock(\.isClosed) }
}
