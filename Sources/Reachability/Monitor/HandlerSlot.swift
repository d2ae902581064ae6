// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The one handler of a monitor. Whoever sets it waits for a call under way, unless it is the handler itself.
final class HandlerSlot: @unchecked Sendable {
    // Swift's Mutex is not recursive, and a handler may replace itself.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var handler: (@Sendable (Event) -> Void)?
    private var task: Task<Void, Never>?
    /// Counts the handlers: an event that a task has taken already is not for the next one.
    private var number = 0

    init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(lock, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Puts `handler` in the place of the one before, with a subscription of its own to `events`.
    func set(_ handler: @escaping @Sendable (Event) -> Void, _ events: Events) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        clear()
        self.handler = handler
        let (number, subscription) = (number, Events.Subscription(events))
        task = Task.detached {
            var events = Events.Iterator(subscription: subscription)
            while let event = await events.next() { self.call(event, number) }
        }
    }

    /// Ends the handler.
    func clear() {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        number += 1
        handler = nil
        task?.cancel()
        task = nil
    }

    private func call(_ event: Event, _ number: Int) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard number == self.number else { return }
        // The closure must outlive its call, even where it replaces itself.
        let handler = handler
        handler?(event)
    }
}
