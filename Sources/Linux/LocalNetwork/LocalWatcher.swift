// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
public import Netlink
internal import Synchronization

/// Watches this host's links, addresses and routes, without sending packets. Updates arrive milliseconds after
/// the kernel's notifications.
///
/// It watches the network namespace of the thread that makes it. The watcher's thread ends with `stop`, or when the
/// last reference is released.
///
/// ```swift
/// let watcher = try LocalWatcher()
/// for await update in watcher.updates() {
///     print(update.state.operationalState(of: "eth0"), update.events)
/// }
/// ```
public final class LocalWatcher: Sendable {
    /// The default number of events that wait for a slow subscriber before the oldest are dropped.
    public static let eventLimit = 4096

    private let loop: WatchLoop
    private let thread: Mutex<PosixThread?>
    private let lookups: Mutex<RouteConnection>

    /// Subscribes to the kernel's notifications, reads the present state, and watches from then on.
    ///
    /// - Parameters:
    ///   - receiveBuffer: The size of the buffer for unread notifications, in bytes (`RouteMonitor`).
    ///   - isOwnDevice: Whether the caller made this device itself; neither such a device nor a route over it is
    ///     reported. Called for each notification about a link, with its present name, kind and alias.
    ///   - now: The clock for the events' times; by default CLOCK_MONOTONIC of clock_gettime(2).
    /// - Throws: the kernel's error if it provides no socket or thread.
    public init(
        receiveBuffer: Int = 4 << 20,
        isOwnDevice: @escaping @Sendable (Link) -> Bool = { _ in false },
        now: (@Sendable () -> Duration)? = nil
    ) throws(NetlinkError) {
        lookups = Mutex(RouteConnection(try RouteSocket()))
        let reader = try LocalReader(receiveBuffer: receiveBuffer, isOwnDevice: isOwnDevice)
        let loop = try WatchLoop(reader, now: now ?? { .reading(CLOCK_MONOTONIC) })
        self.loop = loop
        do throws(SystemError) {
            thread = Mutex(try PosixThread.start { loop.run() })
        } catch {
            throw NetlinkError(operation: error.operation, code: error.code)
        }
    }

    deinit {
        stop()
        // A handler held the last reference: the thread ends by itself.
        thread.withLock({ $0 })?.detach()
    }

    /// The present state.
    public var state: LocalState { loop.state }

    /// Updates from now on; the first has the present state.
    ///
    /// - Parameter limit: The maximum number of events that wait for a slow reader; beyond it the oldest are dropped
    ///   and counted.
    public func updates(limit: Int = eventLimit) -> LocalUpdates {
        LocalUpdates(watcher: self, limit: limit)
    }

    /// Calls `handler` with the present state and then with each update, on the watcher's thread: it must not block.
    /// After `stop` has returned there are no more calls.
    ///
    /// - Returns: a function that ends the subscription, without waiting for a call in progress.
    @discardableResult
    public func observe(
        limit: Int = eventLimit,
        _ handler: @escaping @Sendable (LocalUpdate) -> Void
    ) -> @Sendable () -> Void {
        let subscribers = subscribers
        let subscription = subscribers.add(LocalUpdate.coalescing(limit: limit), handler: handler)
        loop.wake()
        return { subscribers.remove(subscription) }
    }

    /// Calls `body` with a connection to query routes and neighbours in the watcher's network. Serialises its callers.
    package func withLookups<Value: Sendable>(_ body: (inout sending RouteConnection) -> sending Value) -> Value {
        lookups.withLock { body(&$0) }
    }

    /// Ends every subscription and the thread, and waits for both, which takes milliseconds. A handler may call `stop`:
    /// the current call of the handler is then the last.
    public func stop() {
        loop.stop()
        // A thread cannot wait for itself.
        if loop.isCurrent { return }
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    var subscribers: Subscribers<LocalUpdate> { loop.subscribers }
}
