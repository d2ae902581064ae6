// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// A value that only the thread of an event loop uses, for closures that pass through other threads.
///
/// Unchecked, since the compiler does not know threads: `value` checks that its caller is on the loop's.
package struct LoopBound<Value>: @unchecked Sendable {
    private let content: Value
    package let loop: EventLoop

    /// Binds a value of the loop's thread.
    package init(_ value: Value, on loop: EventLoop) { (content, self.loop) = (value, loop) }

    /// Gives a value away to the loop's thread: the compiler refuses any later use of it, or of what refers to it.
    package init(giving value: sending Value, to loop: EventLoop) { (content, self.loop) = (value, loop) }

    /// The value, on the loop's thread.
    package var value: Value {
        precondition(loop.isCurrent, "used on another thread than the loop's")
        return content
    }

    /// Calls `body` on the loop's thread, in its next turn; not after the loop's end.
    package func execute(_ body: @escaping @Sendable (Value) -> Void) { loop.execute { body(value) } }

    /// Calls `body` on the loop's thread, and waits for its result; nil after the loop's end, or without a descriptor. To be
    /// called on another thread.
    package func perform<Result: Sendable>(_ body: @escaping @Sendable (Value) -> Result) -> Result? {
        try? loop.perform { body(value) }
    }
}
