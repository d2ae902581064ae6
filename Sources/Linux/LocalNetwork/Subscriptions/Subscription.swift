// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A queue of elements for one subscriber: any thread adds elements, and one task or one thread reads them.
package final class Subscription<Element: Sendable>: Sendable {
    /// The treatment of elements that the subscriber has not read yet.
    package enum Policy: Sendable {
        /// At most `limit` elements wait; the oldest are dropped. `gap` makes an element of the last dropped element
        /// and the number of dropped ones, which is read in their place.
        case bounded(limit: Int, gap: @Sendable (_ last: Element, _ count: Int) -> Element)
        /// At most one element waits; `merge` combines it (nil if none waits) with a new one.
        case coalescing(merge: @Sendable (_ waiting: Element?, _ new: Element) -> Element)
    }

    private struct Content {
        var waiting = Queue<Element>()
        var dropped = 0
        var lastDropped: Element?
        var reader: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    private let policy: Policy
    private let content = Mutex(Content())

    package init(_ policy: Policy) { self.policy = policy }

    /// Adds an element; does nothing after `finish`.
    package func put(_ element: Element) {
        let delivery = content.withLock { content -> (CheckedContinuation<Element?, Never>, Element)? in
            guard !content.isFinished else { return nil }
            switch policy {
            case .coalescing(let merge):
                content.waiting.append(merge(content.waiting.popFirst(), element))
            case .bounded(let limit, _):
                if content.waiting.count >= max(limit, 1) {
                    content.lastDropped = content.waiting.popFirst()
                    content.dropped += 1
                }
                content.waiting.append(element)
            }
            guard let reader = content.reader, let element = next(&content) else { return nil }
            content.reader = nil
            return (reader, element)
        }
        if let (reader, element) = delivery { reader.resume(returning: element) }
    }

    /// Returns the next element, without waiting; nil if there is none.
    package func dequeue() -> Element? { content.withLock { next(&$0) } }

    /// Waits for the next element; nil once the subscription is finished and empty, or the task is cancelled.
    package func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = content.withLock { content -> Element?? in
                    if Task.isCancelled { return .some(nil) }
                    if let element = next(&content) { return element }
                    if content.isFinished { return .some(nil) }
                    precondition(content.reader == nil, "two tasks read one subscription")
                    content.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            finish()
        }
    }

    /// Stops accepting elements; waiting ones can still be read.
    package func finish() {
        let reader = content.withLock { content in
            content.isFinished = true
            defer { content.reader = nil }
            return content.reader
        }
        reader?.resume(returning: nil)
    }

    private func next(_ content: inout Content) -> Element? {
        guard case .bounded(_, let gap) = policy, let last = content.lastDropped else {
            return content.waiting.popFirst()
        }
        defer { (content.lastDropped, content.dropped) = (nil, 0) }
        return gap(last, content.dropped)
    }
}

/// A FIFO queue with amortised constant time.
private struct Queue<Element> {
    private var added: [Element] = []
    /// The earlier elements, newest first.
    private var older: [Element] = []

    var count: Int { added.count + older.count }

    mutating func append(_ element: Element) { added.append(element) }

    mutating func popFirst() -> Element? {
        if older.isEmpty {
            older = added.reversed()
            added.removeAll(keepingCapacity: true)
        }
        return older.popLast()
    }
}
