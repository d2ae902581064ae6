// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Hands values from any thread to the one thread that polls `wakeup`.
///
/// `Pending` collects what was sent since the last `take`: an array of requests, or a struct of the latest ones.
package final class Mailbox<Pending: Sendable>: Sendable {
    /// Readable while something is pending.
    package let wakeup: EventFD

    private struct State: Sendable {
        var pending: Pending
        var isSignalled = false
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Makes a mailbox; `empty` stands for nothing pending.
    package init(_ empty: Pending) throws(SystemError) {
        wakeup = try EventFD()
        state = Mutex(State(pending: empty))
    }

    /// Adds to what is pending.
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

    /// Exchanges what is pending for `empty`, whose storage is reused. Only for the polling thread.
    package func dequeue(into empty: inout Pending) {
        wakeup.clear()
        state.withLock { state in
            state.isSignalled = false
            swap(&state.pending, &empty)
        }
    }

    /// Makes later `send` fail. What is pending can still be dequeued.
    package func close() {
        state.withLock { $0.isClosed = true }
        wakeup.signal()
    }

    package var isClosed: Bool { state.withLock(\.isClosed) }
}
