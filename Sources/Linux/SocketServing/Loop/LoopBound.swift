// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// A value that only an event loop's thread uses, wrapped for closures that pass through other threads.
///
/// Unchecked, since the compiler does not know threads: `value` checks that its caller runs on the loop's thread.
package struct LoopBound<Value>: @unchecked Sendable {
    private let content: Value
    package let loop: EventLoop

    /// Binds a value that the loop's thread already owns.
    package init(_ value: Value, on loop: EventLoop) { (content, self.loop) = (value, loop) }

    /// Hands a value over to the loop's thread: the compiler refuses later uses of the value, or of objects that it
    /// refers to.
    package init(giving value: sending Value, to loop: EventLoop) { (content, self.loop) = (value, loop) }

    /// The value; accessible on the loop's thread only.
    package var value: Value {
        precondition(loop.isCurrent, "used on another thread than the loop's")
        return content
    }

    /// Calls `body` on the loop's thread, in the loop's next turn; does nothing after the loop's end.
    package func execute(_ body: @escaping @Sendable (Value) -> Void) { loop.execute { body(value) } }

    /// Calls `body` on the loop's thread, and waits for its result; nil after the loop's end, or if the kernel provides
    /// no descriptor. Call it on another thread.
    package func perform<Result: Sendable>(_ body: @escaping @Sendable (Value) -> Result) -> Result? {
        try? loop.perform { body(value) }
    }
}
