// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The one handler of a monitor. Whoever sets it waits for a call under way, unless it is the handler itself.
final class HandlerSlot: @unchecked Sendable {
    // Swift's Mutex is not recursive, and a handler may replace itself.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var handler: (@Sendable (Event) -> Void)?
    private var task: Task<Void, Never>?

    init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(lock, &attributes)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Replaces the handler; `start` makes the task that calls it.
    func set(_ handler: (@Sendable (Event) -> Void)?, _ start: (HandlerSlot) -> Task<Void, Never>?) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        self.handler = handler
        if handler == nil {
            task?.cancel()
            task = nil
        } else if task == nil {
            task = start(self)
        }
    }

    func call(_ event: Event) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        handler?(event)
    }
}
