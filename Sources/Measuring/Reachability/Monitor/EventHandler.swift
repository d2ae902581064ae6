// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LocalNetwork

/// Calls the monitor's handler with the events of a subscription. Replacing or removing the handler waits for a call in
/// progress, except from within that call.
final class EventHandler: @unchecked Sendable {
    // A recursive mutex, unlike Swift's Mutex, since a handler may replace itself.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var task: Task<Void, Never>?
    /// The number of the current handler, so that an event that a task has already received is not passed to the next
    /// one.
    private var generation = 0

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

    func set(_ handler: @escaping @Sendable (Event) -> Void, _ active: ActiveSubscription<Event>) {
        withLock {
            clear()
            let generation = generation
            task = Task.detached {
                while let event = await active.subscription.next() {
                    self.withLock { if generation == self.generation { handler(event) } }
                }
            }
        }
    }

    func clear() {
        withLock {
            generation += 1
            task?.cancel()
            task = nil
        }
    }

    private func withLock(_ body: () -> Void) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        body()
    }
}
