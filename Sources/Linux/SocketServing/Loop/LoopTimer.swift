// SPDX-License-Identifier: Apache-2.0

/// An action of an event loop at a time. Used on the loop's thread only.
package final class LoopTimer: Comparable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    let time: Int64
    /// The order of timers of one time.
    private let number: UInt64
    /// The action; nil once it was done or cancelled.
    private(set) var body: (() -> Void)?
    private unowned let loop: EventLoop

    init(_ time: Int64, number: UInt64, loop: EventLoop, _ body: @escaping () -> Void) {
        (self.time, self.number, self.loop, self.body) = (time, number, loop, body)
    }

    /// Does it not, unless it was done already.
    package func cancel() {
        guard body != nil else { return }
        body = nil
        loop.timerWasCancelled()
    }

    /// Takes what is to be done.
    func finish() -> (() -> Void)? {
        defer { body = nil }
        return body
    }

    package static func < (left: LoopTimer, right: LoopTimer) -> Bool {
        (left.time, left.number) < (right.time, right.number)
    }

    package static func == (left: LoopTimer, right: LoopTimer) -> Bool { left === right }
}
