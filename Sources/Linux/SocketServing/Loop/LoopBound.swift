// SPDX-License-Identifier: Apache-2.0

/// A value that only the thread of an event loop uses, for closures that pass through other threads.
package struct LoopBound<Value>: @unchecked Sendable {
    private let content: Value
    private let loop: EventLoop

    package init(_ value: Value, on loop: EventLoop) { (content, self.loop) = (value, loop) }

    /// The value, on the loop's thread.
    package var value: Value {
        precondition(loop.isCurrent, "used on another thread than the loop's")
        return content
    }
}
