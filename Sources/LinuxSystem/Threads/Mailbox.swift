// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Hands values from any thread to the one thread that polls `wakeup`.
///
/// `Contents` collects what was sent since the last `take`: an array of requests, or a struct of the latest ones.
package final class Mailbox<Contents: Sendable>: Sendable {
    /// Readable while there is something to take.
    package let wakeup: EventFD

    private struct State: Sendable {
        var contents: Contents
        var isSignalled = false
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Makes a mailbox with `contents` as its empty contents.
    package init(_ contents: Contents) throws(SystemError) {
        wakeup = try EventFD()
        state = Mutex(State(contents: contents))
    }

    /// Adds to the contents.
    ///
    /// - Returns: false, with nothing added, if the mailbox is closed.
    @discardableResult
    package func send(_ add: (inout Contents) -> Void) -> Bool {
        let (isOpen, mustSignal) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            add(&state.contents)
            defer { state.isSignalled = true }
            return (true, !state.isSignalled)
        }
        if mustSignal { wakeup.signal() }
        return isOpen
    }

    /// Exchanges the contents for `empty`, whose storage is reused. Only for the polling thread.
    package func take(_ empty: inout Contents) {
        wakeup.clear()
        state.withLock { state in
            state.isSignalled = false
            swap(&state.contents, &empty)
        }
    }

    /// Makes later `send` fail. The present contents can still be taken.
    package func close() {
        state.withLock { $0.isClosed = true }
        wakeup.signal()
    }

    /// Whether `close` was called.
    package var isClosed: Bool { state.withLock(\.isClosed) }
}
