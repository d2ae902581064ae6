// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import Synchronization

/// Where events wait for one subscriber. Where he is too slow the oldest go, and he is told how many, in their place.
final class EventMailbox: Sendable {
    fileprivate struct Content {
        var events: Deque<Event> = []
        var dropped = 0
        var lastDropped: Event?
        var reader: CheckedContinuation<Event?, Never>?
        var isClosed = false
    }

    private let limit: Int
    private let content = Mutex(Content())

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Adds an event.
    func put(_ event: Event) {
        let reader = content.withLock { content -> CheckedContinuation<Event?, Never>? in
            guard !content.isClosed else { return nil }
            if let reader = content.reader {
                content.reader = nil
                return reader
            }
            if content.events.count == limit {
                content.lastDropped = content.events.removeFirst()
                content.dropped += 1
            }
            content.events.append(event)
            return nil
        }
        reader?.resume(returning: event)
    }

    /// Waits for the next event; nil once the mailbox is closed and empty, or the task is cancelled.
    func next() async -> Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = content.withLock { content -> Event?? in
                    if Task.isCancelled { return .some(nil) }
                    if let event = content.take() { return event }
                    if content.isClosed { return .some(nil) }
                    precondition(content.reader == nil, "two tasks read one subscription")
                    content.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            close()
        }
    }

    /// Takes nothing more; what waits may still be read.
    func close() {
        let reader = content.withLock { content in
            content.isClosed = true
            defer { content.reader = nil }
            return content.reader
        }
        reader?.resume(returning: nil)
    }
}

extension EventMailbox.Content {
    fileprivate mutating func take() -> Event? {
        guard var gap = lastDropped else { return events.popFirst() }
        (gap.kind, gap.status) = (.dropped(dropped), nil)
        (lastDropped, dropped) = (nil, 0)
        return gap
    }
}
