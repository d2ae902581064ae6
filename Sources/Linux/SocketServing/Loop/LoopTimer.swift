// SPDX-License-Identifier: Apache-2.0

/// An action that an event loop performs at a given time. Used on the loop's thread only.
package final class LoopTimer: Comparable {
    /// The time, in nanoseconds of CLOCK_MONOTONIC.
    let time: Int64
    /// The order among timers with the same time.
    private let number: UInt64
    /// The action; nil once it has been performed or cancelled.
    private(set) var body: (() -> Void)?
    private unowned let loop: EventLoop

    init(_ time: Int64, number: UInt64, loop: EventLoop, _ body: @escaping () -> Void) {
        (self.time, self.number, self.loop, self.body) = (time, number, loop, body)
    }

    /// Cancels the action, unless it has been performed.
    package func cancel() {
        guard body != nil else { return }
        body = nil
        loop.timerWasCancelled()
    }

    /// Returns the action and clears it; nil if it was cancelled.
    func finish() -> (() -> Void)? {
        defer { body = nil }
        return body
    }

    package static func < (left: LoopTimer, right: LoopTimer) -> Bool {
        (left.time, left.number) < (right.time, right.number)
    }

    package static func == (left: LoopTimer, right: LoopTimer) -> Bool { left === right }
}
