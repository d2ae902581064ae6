// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where one subscriber's update waits for him. There is never more than one: what is new joins what he has not read.
final class UpdateMailbox: Sendable {
    private struct Content {
        var update: LocalUpdate?
        var reader: CheckedContinuation<LocalUpdate?, Never>?
        var isClosed = false
    }

    private let limit: Int
    private let content: Mutex<Content>

    init(_ first: LocalState?, limit: Int) {
        self.limit = limit
        content = Mutex(Content(update: first.map { LocalUpdate(state: $0) }, isClosed: first == nil))
    }

    /// Adds what has happened.
    func put(_ state: LocalState, _ events: [LinkEvent]) {
        let delivery = content.withLock { content -> (CheckedContinuation<LocalUpdate?, Never>, LocalUpdate)? in
            guard !content.isClosed else { return nil }
            var update = content.update ?? LocalUpdate(state: state)
            update.add(state, events, limit: limit)
            guard let reader = content.reader else {
                content.update = update
                return nil
            }
            content.reader = nil
            return (reader, update)
        }
        if let (reader, update) = delivery { reader.resume(returning: update) }
    }

    /// Takes what is there, without waiting.
    func take() -> LocalUpdate? {
        content.withLock { content in
            defer { content.update = nil }
            return content.update
        }
    }

    /// Waits for the next update; nil once the mailbox is closed and empty.
    func next() async -> LocalUpdate? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = content.withLock { content -> LocalUpdate?? in
                    if let update = content.update {
                        content.update = nil
                        return .some(update)
                    }
                    if content.isClosed || Task.isCancelled { return .some(nil) }
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
