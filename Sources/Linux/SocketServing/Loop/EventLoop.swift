// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import HeapModule
package import LinuxSystem
internal import Synchronization

/// An event loop: one thread waits for descriptors, timers and requests of other threads, and calls back. epoll(7),
/// level-triggered.
///
/// Each turn of the loop serves the ready descriptors, then the expired timers, then the bodies passed to `execute`.
/// Callbacks must not block. `execute`, `perform`, `stop` and `isCurrent` may be called on any thread, all other
/// members only on the loop's thread, which makes locks unnecessary.
package final class EventLoop: @unchecked Sendable {
    private static let tasksKey: UInt64 = 0
    private static let clockKey: UInt64 = 1
    private static let firstKey: UInt64 = 2
    /// The maximum number of ready descriptors served in one turn.
    private static let capacity = 64
    /// The number of cancelled timers that may stay in the heap even if they outnumber the others.
    private static let sweepThreshold = 1024
    /// The longest time of a timer, in seconds: a hundred years.
    private static let century: Int64 = 3_153_600_000

    let poller: CInt
    private let clock: CInt
    private let tasks: Mailbox<[@Sendable () -> Void]>
    /// The thread that runs the loop; 0 before `run`.
    private let thread = Atomic<UInt>(0)

    private var watches: [UInt64: DescriptorWatch] = [:]
    private var nextKey = firstKey
    private var timers = Heap<LoopTimer>()
    private var nextTimer: UInt64 = 0
    private var cancelledTimers = 0
    /// The time for which `clock` is armed; `.max` for never.
    private var armed = Int64.max
    private var hasEnded = false
    private var nextTurn: [() -> Void] = []

    /// A buffer for received bytes, shared by all owners; one uses it at a time.
    package let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)

    /// Makes a loop, which `run` then serves.
    ///
    /// - Throws: the kernel's error if it provides no descriptor.
    package init() throws(SystemError) {
        tasks = try Mailbox([])
        poller = lc_open_poller()
        clock = lc_open_timer()
        try checked(min(poller, clock), "make an event loop")
        lc_watch(poller, tasks.wakeup.descriptor, CInt(lc_readable), Self.tasksKey)
        lc_watch(poller, clock, CInt(lc_readable), Self.clockKey)
    }

    deinit {
        for descriptor in [clock, poller] where descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// Makes a loop, and starts a thread that serves it until `stop`.
    package static func start() throws(SystemError) -> EventLoop {
        let loop = try EventLoop()
        try PosixThread.detach { loop.run() }
        return loop
    }

    /// Serves the loop on the calling thread until `stop`. Call it once.
    package func run() {
        thread.store(UInt(pthread_self()), ordering: .releasing)
        withUnsafeTemporaryAllocation(of: lc_readiness.self, capacity: Self.capacity) { ready in
            guard let events = ready.baseAddress else { return }
            while !hasEnded {
                armClock()
                let count = lc_wait(poller, events, CInt(Self.capacity), nextTurn.isEmpty ? -1 : 0)
                precondition(count >= 0, "an event loop cannot wait: errno \(-count)")
                var hasTasks = false
                for event in ready.prefix(Int(count)) {
                    switch event.key {
                    case Self.tasksKey: hasTasks = true
                    case Self.clockKey:
                        lc_clear_eventfd(clock)
                        armed = .max
                    default:
                        watches[event.key]?.owner?.descriptorIsReady(Readiness(rawValue: CInt(event.what)))
                    }
                }
                runTimers()
                if hasTasks { runTasks() }
                // Bodies that are added meanwhile wait for the next turn.
                let bodies = nextTurn
                nextTurn = []
                for body in bodies { body() }
            }
        }
        end()
    }

    /// Whether the calling thread runs the loop.
    package var isCurrent: Bool { thread.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// Calls `body` on the loop's thread, in the loop's next turn; does nothing after `stop`.
    package func execute(_ body: @escaping @Sendable () -> Void) { tasks.send { $0.append(body) } }

    /// Calls `body` on the loop's thread, and waits for its result. Call it on another thread.
    ///
    /// - Throws: ESHUTDOWN after `stop`, or the kernel's error if it provides no descriptor.
    package func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws(SystemError) -> Value {
        precondition(!isCurrent, "the loop would wait for itself")
        let reply = LoopReply<Value>(try EventFD())
        let isOpen = tasks.send { tasks in tasks.append { reply.give(body()) } }
        guard isOpen else { throw SystemError(operation: "use an event loop", code: ESHUTDOWN) }
        return reply.wait()
    }

    /// Ends the loop in its next turn, and closes its descriptors.
    package func stop() { execute { self.hasEnded = true } }

    /// Ends the loop, and returns once its descriptors are closed. Call it on another thread.
    package func stopAndWait() {
        try? perform { self.end() }
    }

    /// Watches a descriptor for `interest`, and for failures. After the end of the watch, the owner closes the
    /// descriptor.
    ///
    /// - Throws: the kernel's error if it cannot watch the descriptor.
    package func watch(
        _ descriptor: CInt,
        for interest: Readiness,
        owner: any DescriptorOwner
    ) throws(SystemError) -> DescriptorWatch {
        precondition(isCurrent || thread.load(ordering: .relaxed) == 0, "used on another thread than the loop's")
        let watch = DescriptorWatch(descriptor, key: nextKey, interest, owner: owner, loop: self)
        try checked(lc_watch(poller, descriptor, interest.rawValue, nextKey), "watch a descriptor")
        watches[nextKey] = watch
        nextKey += 1
        return watch
    }

    /// Calls `body` in the first turn after `delay` has passed.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        precondition(isCurrent || thread.load(ordering: .relaxed) == 0, "used on another thread than the loop's")
        let (seconds, attoseconds) = max(delay, .zero).components
        let nanoseconds = min(seconds, Self.century) * 1_000_000_000 + attoseconds / 1_000_000_000
        let timer = LoopTimer(lc_monotonic_time() + nanoseconds, number: nextTimer, loop: self, body)
        nextTimer += 1
        timers.insert(timer)
        return timer
    }

    /// Calls `body` in this turn or the next one.
    func callSoon(_ body: @escaping () -> Void) { nextTurn.append(body) }

    func forget(_ watch: DescriptorWatch) { watches[watch.key] = nil }

    /// Counts a cancelled timer. Cancelled timers are removed when their time comes, or all at once when they outnumber
    /// the others.
    func timerWasCancelled() {
        cancelledTimers += 1
        precondition(cancelledTimers <= timers.count, "more timers are cancelled than there are")
        guard cancelledTimers > Self.sweepThreshold, cancelledTimers > timers.count / 2 else { return }
        timers.removeAll { $0.body == nil }
        cancelledTimers = 0
    }

    private func armClock() {
        while let timer = timers.min, timer.body == nil {
            timers.removeMin()
            cancelledTimers -= 1
        }
        precondition(cancelledTimers >= 0, "a timer is cancelled that was not counted")
        let next = timers.min?.time ?? .max
        guard next != armed else { return }
        armed = next
        lc_set_timer(clock, next == .max ? 0 : next)
    }

    private func runTimers() {
        guard !timers.isEmpty else { return }
        // One reading of the clock for all timers: timers set meanwhile wait, so that descriptors and other threads get
        // their turn.
        let now = lc_monotonic_time()
        while !hasEnded, let timer = timers.min, timer.time <= now {
            timers.removeMin()
            if let body = timer.finish() { body() } else { cancelledTimers -= 1 }
        }
    }

    private func runTasks() {
        var bodies: [@Sendable () -> Void] = []
        tasks.dequeue(into: &bodies)
        for body in bodies { body() }
    }

    private func end() {
        hasEnded = true
        // A thread that called `perform` before the end gets its result.
        tasks.close()
        runTasks()
        for watch in watches.values { watch.owner?.loopHasEnded() }
        while let timer = timers.popMin() { _ = timer.finish() }
    }
}

/// The result of a body that one thread waits for while the loop's thread runs it.
private final class LoopReply<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere: EventFD

    init(_ isThere: EventFD) { self.isThere = isThere }

    func give(_ value: Value) {
        self.value.withLock { $0 = value }
        isThere.signal()
    }

    func wait() -> Value {
        while true {
            // A signal may interrupt the wait.
            Wait.untilReadable([isThere.descriptor])
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
