// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
public import Netlink
internal import Synchronization

/// Watches this host's links, addresses and routes, without sending a packet: what the kernel knows is known here
/// within milliseconds.
///
/// It belongs to the network namespace of the thread that makes it, and has a thread of its own until `stop`, or until
/// nobody holds it any more.
///
/// ```swift
/// let watcher = try LocalWatcher()
/// for await update in watcher.updates() {
///     print(update.state.operationalState(of: "eth0"), update.events)
/// }
/// ```
public final class LocalWatcher: Sendable {
    /// How many events wait for a slow subscriber before the oldest are dropped.
    public static let eventLimit = 4096

    private let loop: WatchLoop
    private let thread: Mutex<PosixThread?>
    private let lookups: Mutex<RouteConnection>

    /// Subscribes to the kernel's notifications, reads the present state, and watches from then on.
    ///
    /// - Parameters:
    ///   - receiveBuffer: Room for notifications not yet read, in bytes (`RouteMonitor`).
    ///   - isOwnDevice: Whether the caller made this device itself: then neither it nor a route over it is reported.
    ///     Called for each notification about a link, with its name, kind and alias at that time.
    ///   - now: The clock of the events' times; CLOCK_MONOTONIC of clock_gettime(2) where none is given.
    /// - Throws: the reason why the kernel has no socket or thread to give.
    public init(
        receiveBuffer: Int = 4 << 20,
        isOwnDevice: @escaping @Sendable (Link) -> Bool = { _ in false },
        now: (@Sendable () -> Duration)? = nil
    ) throws(NetlinkError) {
        lookups = Mutex(RouteConnection(try RouteSocket()))
        let reader = try LocalReader(
            receiveBuffer: receiveBuffer,
            isOwnDevice: isOwnDevice,
            facts: DeviceFacts.read
        )
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
        // Only where a handler has let go of the watcher last: its thread ends by itself then.
        thread.withLock({ $0 })?.detach()
    }

    /// How things stand.
    public var state: LocalState { loop.state }

    /// What happens from now on, beginning with how things stand.
    ///
    /// - Parameter limit: How many events wait for a slow reader before the oldest are dropped, and counted.
    public func updates(limit: Int = eventLimit) -> LocalUpdates {
        LocalUpdates(watcher: self, limit: limit)
    }

    /// Has `handler` called with how things stand, and then with what happens, on the watcher's thread, which it must
    /// not hold up. It is not called any more once `stop` has returned.
    ///
    /// - Returns: what ends the subscription; a call under way is not waited for.
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

    /// Asks the kernel for routes and neighbours, in the watcher's network. One caller at a time.
    package func withLookups<Value: Sendable>(_ body: (inout sending RouteConnection) -> sending Value) -> Value {
        lookups.withLock { body(&$0) }
    }

    /// Ends every subscription and the thread, within milliseconds, and waits for that. Handlers may call it too; then
    /// the running one is the last.
    public func stop() {
        loop.stop()
        if loop.isCurrent {
            // A thread cannot wait for itself.
            return
        }
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    var subscribers: Subscribers<LocalUpdate> { loop.subscribers }
}
